armature_test(system_contents_cache LABEL system LIBRARIES armature_drive_bench TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/contents_cache_test.cpp)
target_compile_definitions(system_contents_cache PRIVATE ARMATURE_CONTENTS_REQUESTS=15000)
