armature_test(system_power_datasheet LABEL system FOLDERS app LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/power_datasheet_test.cpp)
