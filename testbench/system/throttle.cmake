armature_test(system_throttle LABEL system LIBRARIES armature_drive_bench FOLDERS controller
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/throttle_test.cpp)
