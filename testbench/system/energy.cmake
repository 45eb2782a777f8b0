armature_test(system_energy LABEL system LIBRARIES armature_drive_bench FOLDERS power
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/energy_drive_test.cpp)
