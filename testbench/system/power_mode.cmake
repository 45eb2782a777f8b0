armature_test(system_power_mode LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/power_mode_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/scripted_host.cpp)
