armature_test(system_cli_array LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json fmt::fmt TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/cli_array_test.cpp)
