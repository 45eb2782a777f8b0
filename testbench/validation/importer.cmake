armature_test(validation_importer LABEL validation FOLDERS importer media actuator spindle
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/importer_drives_test.cpp)
find_package(ZLIB REQUIRED)
armature_test(validation_importer_service LABEL validation FOLDERS importer LIBRARIES armature_drive_bench ZLIB::ZLIB
              TIMEOUT 240 SOURCES ${CMAKE_CURRENT_LIST_DIR}/importer_service_test.cpp)
