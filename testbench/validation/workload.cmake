armature_test(validation_workload LABEL validation FOLDERS workload
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/workload_real_traces_test.cpp)
