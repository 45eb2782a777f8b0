armature_test(unit_media LABEL unit FOLDERS media
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/media_geometry_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/media_contents_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/media_translation_test.cpp)
