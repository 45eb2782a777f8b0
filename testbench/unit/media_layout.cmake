armature_test(unit_media_layout LABEL unit FOLDERS media
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/media_layout_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/media_sparing_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/media_ranges_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/media_format_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/media_surfaces_test.cpp)
