armature_test(system_format_rate LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/format_rate_test.cpp)
