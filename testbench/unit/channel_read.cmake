armature_test(unit_channel_read LABEL unit FOLDERS channel SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/channel_read_test.cpp)
armature_test(unit_channel_read_full LABEL full FOLDERS channel TIMEOUT 300
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/channel_read_test.cpp
              DEFINITIONS ARMATURE_SECTORS=10000000)
