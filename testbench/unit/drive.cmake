armature_test(unit_drive LABEL unit FOLDERS drive
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/drive_arms_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/drive_head_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/drive_seek_table_test.cpp)
target_include_directories(unit_drive PRIVATE ${PROJECT_SOURCE_DIR}/models/drive/src)  # disk_record.h
# Firmware's costs against the unit's: it has registers of its own in place of a processor.
armature_test(unit_firmware_cost LABEL unit FOLDERS drive arbiter firmware
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/firmware_cost_test.cpp)
target_include_directories(unit_firmware_cost PRIVATE ${PROJECT_SOURCE_DIR}/models/drive/src
                           ${PROJECT_SOURCE_DIR}/models/firmware/src)
