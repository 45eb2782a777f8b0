armature_test(system_cli_faults LABEL system LIBRARIES armature_program_runner TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/cli_faults_test.cpp)
