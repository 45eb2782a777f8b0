armature_test(system_jog LABEL system LIBRARIES armature_drive_bench TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/jog_test.cpp)
