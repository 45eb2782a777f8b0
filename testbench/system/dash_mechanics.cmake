armature_test(system_dash_mechanics LABEL system LIBRARIES armature_drive_bench
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/dash_mechanics_test.cpp)
