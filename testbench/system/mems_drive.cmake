armature_test(system_mems_drive LABEL system TIMEOUT 120 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_drive_test.cpp)
armature_test(system_mems_refresh LABEL system TIMEOUT 120 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_refresh_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/mems_firmware_test.cpp)
armature_test(system_mems_read_errors LABEL system TIMEOUT 120 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_read_errors_test.cpp)
armature_test(system_mems_batch LABEL system TIMEOUT 120 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_batch_test.cpp)
armature_test(system_mems_parallel LABEL system TIMEOUT 120 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_parallel_test.cpp)
armature_test(system_mems_parallel_full LABEL full TIMEOUT 1800 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_parallel_test.cpp
              DEFINITIONS MEMS_DRIVE_FULL)
armature_test(system_mems_drive_full LABEL full TIMEOUT 1800 LIBRARIES armature_drive_bench
              FOLDERS mems_drive
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_drive_test.cpp
              DEFINITIONS MEMS_DRIVE_FULL)
