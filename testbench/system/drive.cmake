add_library(armature_drive_bench STATIC ${PROJECT_SOURCE_DIR}/testbench/support/drive_bench.cpp
            ${PROJECT_SOURCE_DIR}/testbench/support/link_monitor.cpp)
target_link_libraries(armature_drive_bench PUBLIC armature_test_support armature_drive armature_host armature_observe)

armature_test(system_drive LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/drive_timing_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/drive_errors_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/cache_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/hardware_hits_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/ram_bandwidth_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/overheads_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/read_policy_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/minimum_read_ahead_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/read_flow_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/seek_curve_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/scripted_host.cpp)
armature_test(system_mean_service LABEL system LIBRARIES armature_drive_bench TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mean_service_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/service_time.cpp)
armature_test(system_constant_mechanism LABEL system FOLDERS drive host observe
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/constant_mechanism_test.cpp)
