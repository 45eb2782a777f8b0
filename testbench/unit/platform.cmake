armature_test(unit_platform LABEL unit FOLDERS platform SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/platform_drive_test.cpp)
