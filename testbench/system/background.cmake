armature_test(system_background LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/background_test.cpp ${CMAKE_CURRENT_LIST_DIR}/spare_test.cpp)
