armature_test(unit_sockets LABEL unit FOLDERS sockets SOURCES sockets_listener_test.cpp)
