armature_test(system_contents LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/contents_test.cpp ${CMAKE_CURRENT_LIST_DIR}/contents_file_test.cpp
                      ${CMAKE_CURRENT_LIST_DIR}/contents_power_test.cpp ${CMAKE_CURRENT_LIST_DIR}/power_cycle_test.cpp)
target_compile_definitions(system_contents PRIVATE ARMATURE_CONTENTS_REQUESTS=20000)
armature_test(system_contents_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 900
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/contents_test.cpp
              DEFINITIONS ARMATURE_CONTENTS_REQUESTS=1000000)
armature_test(system_cli_verify LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_verify_test.cpp)
