armature_test(validation_workload_trace_info LABEL validation LIBRARIES armature_program_runner armature_workload TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/workload_trace_info_test.cpp)
