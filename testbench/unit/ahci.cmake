armature_test(unit_ahci LABEL unit FOLDERS ahci sata
  SOURCES ahci_port_test.cpp ahci_controller_test.cpp ../support/ahci_driver.cpp)
