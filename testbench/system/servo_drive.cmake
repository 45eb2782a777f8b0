armature_test(system_servo_drive LABEL system LIBRARIES armature_drive_bench TIMEOUT 300
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/servo_drive_test.cpp
              DEFINITIONS ARMATURE_PLANT="${PROJECT_SOURCE_DIR}/scenarios/servo/seagate_barracuda_es_750.toml")
armature_test(system_servo_modes LABEL system LIBRARIES armature_program_runner TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/servo_modes_test.cpp DEFINITIONS ARMATURE_REQUESTS=800)
armature_test(system_servo_modes_full LABEL full LIBRARIES armature_program_runner TIMEOUT 1800
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/servo_modes_test.cpp DEFINITIONS ARMATURE_REQUESTS=20000)
armature_test(system_servo_predictions LABEL system LIBRARIES armature_drive_bench TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/servo_predictions_test.cpp DEFINITIONS ARMATURE_ACCESSES=6000)
armature_test(system_servo_predictions_full LABEL full LIBRARIES armature_drive_bench TIMEOUT 1800
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/servo_predictions_test.cpp DEFINITIONS ARMATURE_ACCESSES=110000)
