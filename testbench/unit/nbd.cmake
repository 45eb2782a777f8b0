armature_test(unit_nbd LABEL unit FOLDERS nbd SOURCES nbd_session_test.cpp nbd_server_test.cpp)
