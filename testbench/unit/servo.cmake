armature_test(unit_servo LABEL unit FOLDERS servo TIMEOUT 300
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/servo_plant_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/servo_params_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/servo_follow_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/servo_seek_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/servo_casting_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/servo_wake_test.cpp)
# The parts of the folder that are not an interface to anybody else.
target_include_directories(unit_servo PRIVATE ${PROJECT_SOURCE_DIR}/models/servo/src)
# Every tenth distance with few seeks, and all of them.
armature_test(unit_servo_drives LABEL unit FOLDERS app TIMEOUT 120
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/servo_drives_test.cpp DEFINITIONS ARMATURE_DISTANCES=12 ARMATURE_SEEKS=24)
armature_test(unit_servo_drives_full LABEL full FOLDERS app TIMEOUT 600
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/servo_drives_test.cpp DEFINITIONS ARMATURE_DISTANCES=60 ARMATURE_SEEKS=60)
