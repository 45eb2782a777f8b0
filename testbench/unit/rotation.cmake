armature_test(unit_rotation LABEL unit FOLDERS core SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/rotation_test.cpp)
