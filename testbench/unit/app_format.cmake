armature_test(unit_app_format LABEL unit FOLDERS app SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/app_format_test.cpp)
