armature_test(system_ata_scripts LABEL system LIBRARIES armature_program_runner
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/ata_scripts_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ata_sct_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/ata_microcode_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/ata_epc_test.cpp)
target_compile_definitions(system_ata_scripts PRIVATE ARMATURE_PROGRAM="$<TARGET_FILE:armature>"
                           ARMATURE_IMAGE_TOOL="${PROJECT_SOURCE_DIR}/models/firmware/rv32/image"
                           ARMATURE_OWN_ELF="${PROJECT_BINARY_DIR}/models/firmware/firmware.elf")
