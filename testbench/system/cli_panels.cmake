armature_test(system_cli_panels LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_panels_test.cpp)
armature_test(system_cli_energy LABEL system TIMEOUT 120
              LIBRARIES armature_program_runner armature_fstapi nlohmann_json::nlohmann_json
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_energy_test.cpp)
