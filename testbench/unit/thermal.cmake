armature_test(unit_thermal LABEL unit FOLDERS thermal SOURCES
  ${CMAKE_CURRENT_SOURCE_DIR}/thermal_network_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/thermal_drive_test.cpp)
