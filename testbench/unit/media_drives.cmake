armature_test(unit_media_drives LABEL unit FOLDERS media actuator spindle
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/media_drives_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/media_service_time_test.cpp
          ${PROJECT_SOURCE_DIR}/testbench/support/service_time.cpp)

# The zones of these drive files are derived, not measured: the script that derived them must still say the same.
find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  foreach(drive seagate_barracuda_es_750 seagate_barracuda_7200_7_160 hitachi_ultrastar_a7k1000 ibm_ultrastar_36zx hitachi_ultrastar_15k73
                hitachi_travelstar_7k60 wd_velociraptor_300 seagate_cheetah_36es ibm_microdrive_1gb
                wd_ultrastar_hc560_20tb study_md_10k_19gb study_md_10k_37gb study_md_7200_36gb
                study_raid_36zx hitachi_dk23da_30 seagate_cheetah_15k3)
    add_test(NAME unit.ZonesOfADriveFileAreWhatItsDerivationGives.${drive}
             COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scenarios/drives/derive_zones.py ${drive}
                     --check ${PROJECT_SOURCE_DIR}/scenarios/drives/${drive}.toml)
    set_tests_properties(unit.ZonesOfADriveFileAreWhatItsDerivationGives.${drive} PROPERTIES LABELS unit TIMEOUT 60)
  endforeach()
endif()
