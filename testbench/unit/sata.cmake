armature_test(unit_sata LABEL unit FOLDERS sata
  SOURCES sata_fis_test.cpp sata_link_test.cpp sata_link_hold_test.cpp sata_link_property_test.cpp
          sata_ata_decode_test.cpp)
