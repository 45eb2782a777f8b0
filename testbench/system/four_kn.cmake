armature_test(system_four_kn LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/four_kn_test.cpp)
