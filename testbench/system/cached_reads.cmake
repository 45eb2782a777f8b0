armature_test(system_cached_reads LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cached_reads_test.cpp DEFINITIONS ARMATURE_ONE_IN=10)
armature_test(system_cached_reads_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 300
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/cached_reads_test.cpp DEFINITIONS ARMATURE_ONE_IN=1)
