armature_test(system_governor LABEL system LIBRARIES armature_drive_bench FOLDERS power
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/governor_test.cpp)
