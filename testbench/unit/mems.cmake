armature_test(unit_mems LABEL unit FOLDERS mems
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_seek_model_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mems_sled_model_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_sled_motion_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_layout_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mems_background_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_refresh_plan_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_placement_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mems_record_table_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_queue_study_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_recorded_times_test.cpp)
armature_test(unit_mems_policies LABEL unit FOLDERS mems arbiter
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_policies_test.cpp)
armature_test(unit_mems_whole_device LABEL unit FOLDERS mems firmware host
  SOURCES mems_whole_device_test.cpp ../support/mock_mmio.cpp)
target_include_directories(unit_mems_whole_device PRIVATE ${PROJECT_SOURCE_DIR}/models/firmware/src)
if(ARMATURE_FULL_TIER)
  armature_test(unit_mems_whole_device_full LABEL full FOLDERS mems firmware host TIMEOUT 600
    SOURCES mems_whole_device_test.cpp ../support/mock_mmio.cpp DEFINITIONS ARMATURE_WHOLE_STORE_UM=100)
  target_include_directories(unit_mems_whole_device_full PRIVATE ${PROJECT_SOURCE_DIR}/models/firmware/src)
endif()
