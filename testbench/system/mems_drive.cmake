armature_test(system_mems_drive LABEL system TIMEOUT 120 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_drive_test.cpp)
