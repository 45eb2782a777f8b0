armature_test(system_contents LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/contents_test.cpp ${CMAKE_CURRENT_LIST_DIR}/contents_power_test.cpp)
