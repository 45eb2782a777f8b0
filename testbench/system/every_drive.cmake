armature_test(system_every_drive LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/every_drive_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/service_time.cpp)
