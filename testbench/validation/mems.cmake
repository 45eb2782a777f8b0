armature_test(validation_mems LABEL validation FOLDERS mems workload TIMEOUT 240
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/mems_disksim_test.cpp)
