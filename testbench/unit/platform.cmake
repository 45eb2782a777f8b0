# Its tests run in SC_THREADs, whose stacks ASan's copies of frames cannot follow.
armature_test(unit_platform LABEL unit FOLDERS platform
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/platform_drive_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/platform_fronts_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/ahci_driver.cpp ${PROJECT_SOURCE_DIR}/testbench/support/scripted_host.cpp
              ENVIRONMENT ASAN_OPTIONS=detect_stack_use_after_return=0)
