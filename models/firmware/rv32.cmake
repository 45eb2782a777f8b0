# Firmware as an ELF for the controller's processor, RV32IMAC, if there is a compiler for it: firmware.elf, and
# ARMATURE_FIRMWARE_ELF, which is the same with its debug sections compressed, as the program holds it: mistakes, traces
# and profiles name source lines.
find_program(ARMATURE_RV32_GCC riscv64-unknown-elf-gcc)
set(ARMATURE_FIRMWARE_ELF "" PARENT_SCOPE)
if(NOT ARMATURE_RV32_GCC)
  message(STATUS "no ELF of the firmware: gcc-riscv64-unknown-elf is missing")
  return()
endif()
string(REGEX REPLACE "gcc$" "objcopy" rv32_objcopy ${ARMATURE_RV32_GCC})

# The memories, from what is generated of rtl/regs/soc.rdl.
set(rv32_registers ${CMAKE_CURRENT_SOURCE_DIR}/include/armature/firmware/regs/soc.h)
foreach(name SOC_CODE_BASE SOC_CODE_MAX_BYTES SOC_DATA_BASE SOC_DATA_MAX_BYTES)
  file(STRINGS ${rv32_registers} line REGEX "#define ${name} 0x")
  string(REGEX MATCH "0x[0-9A-F]+" ${name} "${line}")
endforeach()
set(FW_STACK_BYTES 0x4000)
configure_file(rv32/firmware.ld.in firmware.ld @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rv32_registers})

# -misa-spec=2.2: the instructions for control registers are part of I, as this compiler's libraries have it.
set(rv32_options -march=rv32imac -mabi=ilp32 -misa-spec=2.2)
set(rv32_compile ${ARMATURE_RV32_GCC} ${rv32_options} -std=c11 -ffreestanding -O2 -g -fno-tree-loop-distribute-patterns
    -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Wstrict-prototypes $<$<BOOL:${ARMATURE_WERROR}>:-Werror>
    -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR}/src)
set(rv32_objects)
foreach(source IN LISTS ARMATURE_FIRMWARE_SOURCES ITEMS rv32/machine.c rv32/start.S)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/rv32/${source}.o)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${object}
    COMMAND ${rv32_compile} -MD -MF ${object}.d -MT ${object} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} DEPFILE ${object}.d
    COMMENT "Building for RV32 ${source}" VERBATIM COMMAND_EXPAND_LISTS)
  list(APPEND rv32_objects ${object})
endforeach()
set(rv32_elf ${CMAKE_CURRENT_BINARY_DIR}/firmware.elf)
set(rv32_packed ${CMAKE_CURRENT_BINARY_DIR}/firmware.packed.elf)
add_custom_command(OUTPUT ${rv32_elf} ${rv32_packed}
  COMMAND ${ARMATURE_RV32_GCC} ${rv32_options} -nostdlib -Wl,-T,${CMAKE_CURRENT_BINARY_DIR}/firmware.ld
          -Wl,-z,max-page-size=4096 -o ${rv32_elf} ${rv32_objects} -lgcc
  COMMAND ${rv32_objcopy} --compress-debug-sections=zlib ${rv32_elf} ${rv32_packed}
  DEPENDS ${rv32_objects} ${CMAKE_CURRENT_BINARY_DIR}/firmware.ld
  COMMENT "Linking firmware.elf" VERBATIM)
add_custom_target(armature_firmware_rv32 DEPENDS ${rv32_elf} ${rv32_packed})
set(ARMATURE_FIRMWARE_ELF ${rv32_packed} PARENT_SCOPE)
