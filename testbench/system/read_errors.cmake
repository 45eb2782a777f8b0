armature_test(system_read_errors LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/read_errors_test.cpp)
