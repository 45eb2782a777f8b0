armature_test(system_mems_modes LABEL system LIBRARIES armature_program_runner TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/mems_modes_test.cpp)
