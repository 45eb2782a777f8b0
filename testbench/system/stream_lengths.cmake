armature_test(system_stream_lengths LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/stream_lengths_test.cpp DEFINITIONS ARMATURE_ONE_IN=10)
armature_test(system_stream_lengths_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 600
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/stream_lengths_test.cpp DEFINITIONS ARMATURE_ONE_IN=1)
