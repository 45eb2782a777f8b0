armature_test(unit_mems LABEL unit FOLDERS mems
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/mems_seek_model_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mems_sled_model_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_sled_motion_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_layout_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/mems_background_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_placement_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/mems_queue_study_test.cpp)
