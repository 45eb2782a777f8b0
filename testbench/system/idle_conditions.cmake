armature_test(system_idle_conditions LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/idle_conditions_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/scripted_host.cpp)
