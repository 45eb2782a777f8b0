armature_test(system_servo_drive LABEL system LIBRARIES armature_drive_bench TIMEOUT 300
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/servo_drive_test.cpp
              DEFINITIONS ARMATURE_PLANT="${PROJECT_SOURCE_DIR}/scenarios/servo/seagate_barracuda_es_750.toml")
