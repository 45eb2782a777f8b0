armature_test(unit_spindle LABEL unit FOLDERS spindle
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/spindle_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/spindle_motor_test.cpp)
