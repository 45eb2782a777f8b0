armature_test(system_arms_contents LABEL system LIBRARIES armature_drive_bench TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_contents_test.cpp)
target_compile_definitions(system_arms_contents PRIVATE ARMATURE_CONTENTS_REQUESTS=6000)
armature_test(system_arms_contents_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 900
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_contents_test.cpp)
target_compile_definitions(system_arms_contents_full PRIVATE ARMATURE_CONTENTS_REQUESTS=200000)
armature_test(system_arms LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_test.cpp)
armature_test(system_arms_failure LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_failure_test.cpp)
