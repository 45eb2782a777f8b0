armature_test(system_arbiter_modes LABEL system LIBRARIES armature_program_runner armature_fstapi TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arbiter_modes_test.cpp)
