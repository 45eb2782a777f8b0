armature_test(system_ata_scripts LABEL system LIBRARIES armature_program_runner
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/ata_scripts_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ata_sct_test.cpp)
target_compile_definitions(system_ata_scripts PRIVATE ARMATURE_PROGRAM="$<TARGET_FILE:armature>")
