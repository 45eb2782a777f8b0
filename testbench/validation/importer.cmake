armature_test(validation_importer LABEL validation FOLDERS importer media actuator spindle
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/importer_drives_test.cpp)
