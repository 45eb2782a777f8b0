armature_test(system_reset LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/reset_test.cpp ${CMAKE_CURRENT_LIST_DIR}/reset_states_test.cpp)
target_compile_definitions(system_reset PRIVATE ARMATURE_RESET_REQUESTS=20000)
armature_test(system_reset_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 900
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/reset_test.cpp
              DEFINITIONS ARMATURE_RESET_REQUESTS=1000000)
