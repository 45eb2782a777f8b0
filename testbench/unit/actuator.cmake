armature_test(unit_actuator LABEL unit FOLDERS actuator
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/actuator_seek_profile_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/actuator_servo_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/actuator_heads_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/actuator_seek_motion_test.cpp)
