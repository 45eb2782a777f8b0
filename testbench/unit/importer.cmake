armature_test(unit_importer LABEL unit FOLDERS importer media actuator mems
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/importer_parameter_file_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/importer_layout_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/importer_mechanics_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/importer_drive_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/importer_mapped_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/importer_mems_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/importer_keys_test.cpp)
