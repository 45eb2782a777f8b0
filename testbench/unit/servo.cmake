armature_test(unit_servo LABEL unit FOLDERS servo TIMEOUT 300
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/servo_plant_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/servo_params_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/servo_follow_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/servo_seek_test.cpp)
# The parts of the folder that are not an interface to anybody else.
target_include_directories(unit_servo PRIVATE ${PROJECT_SOURCE_DIR}/models/servo/src)
