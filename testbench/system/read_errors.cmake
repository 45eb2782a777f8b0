armature_test(system_read_errors LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/read_errors_test.cpp)
armature_test(system_read_errors_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 600
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/read_errors_test.cpp
              DEFINITIONS ARMATURE_SECTORS=10000000)
