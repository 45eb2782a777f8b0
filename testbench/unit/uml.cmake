armature_test(unit_uml LABEL unit FOLDERS uml SOURCES uml_virtqueue_test.cpp uml_vhost_user_test.cpp uml_calendar_test.cpp uml_pci_test.cpp)
