# The program as a process: what a person at a terminal or a script sees of it.
add_library(armature_program_runner STATIC ${PROJECT_SOURCE_DIR}/testbench/support/program.cpp)
target_link_libraries(armature_program_runner PUBLIC armature_test_support)
target_compile_definitions(armature_program_runner PRIVATE ARMATURE_PROGRAM="$<TARGET_FILE:armature>")
add_dependencies(armature_program_runner armature)

find_package(nlohmann_json REQUIRED)
armature_test(system_cli LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/cli_input_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/cli_run_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/cli_figures_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/cli_folder_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/cli_memory_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/cli_hints_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/cli_kept_inputs_test.cpp)
