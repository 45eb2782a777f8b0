armature_test(unit_sata LABEL unit FOLDERS sata
  SOURCES sata_fis_test.cpp sata_link_test.cpp sata_link_hold_test.cpp sata_link_property_test.cpp
          sata_ata_decode_test.cpp sata_published_dump_test.cpp)
target_compile_definitions(unit_sata PRIVATE ARMATURE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
