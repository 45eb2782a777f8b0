armature_test(system_seek_command LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/seek_command_test.cpp)
