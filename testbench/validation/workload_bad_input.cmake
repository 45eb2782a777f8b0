armature_test(validation_bad_input LABEL validation LIBRARIES armature_program_runner TIMEOUT 60
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/workload_bad_input_test.cpp)
