armature_test(system_cli_import LABEL system LIBRARIES armature_program_runner TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_import_test.cpp)
