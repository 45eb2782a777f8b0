armature_test(system_speeds LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/speeds_test.cpp)
