armature_test(unit_drive LABEL unit FOLDERS drive
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/drive_arms_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/drive_head_test.cpp)
