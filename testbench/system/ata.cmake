armature_test(system_ata LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/ata_commands_test.cpp ${CMAKE_CURRENT_LIST_DIR}/ata_offsets_test.cpp
                      ${CMAKE_CURRENT_LIST_DIR}/ata_smart_test.cpp ${CMAKE_CURRENT_LIST_DIR}/ata_uncorrectable_test.cpp
                      ${CMAKE_CURRENT_LIST_DIR}/ata_duration_test.cpp
                      ${PROJECT_SOURCE_DIR}/testbench/support/scripted_host.cpp)
