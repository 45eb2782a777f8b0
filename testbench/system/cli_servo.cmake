armature_test(system_cli_servo LABEL system LIBRARIES armature_program_runner
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli_servo_test.cpp)
