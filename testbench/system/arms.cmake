armature_test(system_arms_contents LABEL system LIBRARIES armature_drive_bench TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_contents_test.cpp)
target_compile_definitions(system_arms_contents PRIVATE ARMATURE_CONTENTS_REQUESTS=6000)
armature_test(system_arms_contents_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 900
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_contents_test.cpp
              DEFINITIONS ARMATURE_CONTENTS_REQUESTS=200000)
armature_test(system_arms LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_test.cpp)
armature_test(system_arms_streams LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_streams_test.cpp ${CMAKE_CURRENT_LIST_DIR}/turns_test.cpp)
armature_test(system_channels LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/channels_test.cpp)
armature_test(system_arms_failure LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arms_failure_test.cpp)
armature_test(system_predictions LABEL system LIBRARIES armature_drive_bench TIMEOUT 60
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/predictions_test.cpp)
target_compile_definitions(system_predictions PRIVATE ARMATURE_PREDICTIONS=20000)
armature_test(system_predictions_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 600
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/predictions_test.cpp
              DEFINITIONS ARMATURE_PREDICTIONS=1000000)
armature_test(system_prediction_edges LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/prediction_edges_test.cpp)
armature_test(system_dash_firmware LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/dash_firmware_test.cpp)
target_compile_definitions(system_dash_firmware PRIVATE ARMATURE_CONTENTS_REQUESTS=2000)
armature_test(system_dash LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/dash_test.cpp)
armature_test(system_dash_random LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/dash_random_test.cpp)
target_compile_definitions(system_dash_random PRIVATE ARMATURE_RANDOM_DRIVES=80)
armature_test(system_dash_random_full LABEL full LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/dash_random_test.cpp
              DEFINITIONS ARMATURE_RANDOM_DRIVES=1500)
armature_test(system_placement LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/placement_test.cpp)
