armature_test(unit_gdb_server LABEL unit FOLDERS gdb_server
              SOURCES gdb_server_packet_test.cpp gdb_server_session_test.cpp)
