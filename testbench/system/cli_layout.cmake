armature_test(system_cli_layout LABEL system LIBRARIES armature_program_runner
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_layout_test.cpp)
armature_test(system_cli_seek LABEL system LIBRARIES armature_program_runner
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_seek_test.cpp)
