armature_test(system_ahci LABEL system LIBRARIES armature_drive_bench FOLDERS ahci
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/ahci_test.cpp ${PROJECT_SOURCE_DIR}/testbench/support/ahci_driver.cpp)
