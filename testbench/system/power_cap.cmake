armature_test(system_power_cap LABEL system LIBRARIES armature_drive_bench FOLDERS power
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/power_cap_test.cpp)
