armature_test(unit_ahci LABEL unit FOLDERS ahci sata
  SOURCES ahci_port_test.cpp ahci_controller_test.cpp ../support/ahci_driver.cpp)

# The fuzz target's operations, a short run; `./armature fuzz 600 ahci` is the long one, with sanitizers.
armature_test(unit_ahci_hostile LABEL unit FOLDERS ahci
  SOURCES ahci_hostile_test.cpp ../fuzz/ahci_fuzz.cpp)
target_include_directories(unit_ahci_hostile PRIVATE ${PROJECT_SOURCE_DIR}/testbench/fuzz)
