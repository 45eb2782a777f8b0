armature_test(validation_replay LABEL validation LIBRARIES armature_drive_bench TIMEOUT 240
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_test.cpp)
