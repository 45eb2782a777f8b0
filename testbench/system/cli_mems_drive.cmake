armature_test(system_cli_mems_drive LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_mems_drive_test.cpp)
