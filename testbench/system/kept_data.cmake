armature_test(system_kept_data LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/kept_data_test.cpp
                      ${CMAKE_CURRENT_LIST_DIR}/key_effects_test.cpp)
