armature_test(unit_channel LABEL unit FOLDERS channel
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/channel_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/channel_wedges_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/channel_stray_test.cpp)
