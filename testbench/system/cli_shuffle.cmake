armature_test(system_cli_shuffle LABEL system LIBRARIES armature_program_runner TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/cli_shuffle_test.cpp)
armature_test(system_cli_found LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/cli_found_test.cpp)
