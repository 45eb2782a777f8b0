armature_test(unit_channel_retry LABEL unit FOLDERS channel
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/channel_retry_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/channel_extend_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/channel_moved_sector_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/channel_random_reads_test.cpp)
