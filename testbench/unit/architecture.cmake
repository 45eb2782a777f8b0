armature_test(unit_architecture LABEL unit SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/architecture_test.cpp)
