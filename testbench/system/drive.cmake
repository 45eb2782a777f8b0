add_library(armature_drive_bench STATIC ${PROJECT_SOURCE_DIR}/testbench/support/drive_bench.cpp)
target_link_libraries(armature_drive_bench PUBLIC armature_test_support armature_drive armature_host armature_observe)

armature_test(system_drive LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/drive_timing_test.cpp)
