armature_test(system_write_flow LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/write_flow_test.cpp ${CMAKE_CURRENT_LIST_DIR}/write_times_test.cpp
                      ${CMAKE_CURRENT_LIST_DIR}/destage_order_test.cpp ${CMAKE_CURRENT_LIST_DIR}/destage_hurry_test.cpp
                      ${CMAKE_CURRENT_LIST_DIR}/write_contents_test.cpp)
