# The instruction-set simulator, if it is there; and what stands in its place otherwise.
if(LIBELF_FOUND)
  armature_test(unit_iss LABEL unit FOLDERS iss controller
                SOURCES iss_machine_test.cpp iss_time_test.cpp ../support/program.cpp
                DEFINITIONS ARMATURE_PROGRAM="none")
endif()
# Names and lines of a program that the test assembles.
if(LIBELF_FOUND AND ARMATURE_RV32_GCC)
  set(traced_program ${CMAKE_CURRENT_BINARY_DIR}/traced_program.elf)
  add_custom_command(OUTPUT ${traced_program}
    COMMAND ${ARMATURE_RV32_GCC} -march=rv32imac -mabi=ilp32 -misa-spec=2.2 -nostdlib -Wl,-Ttext=0x1000
            -Wl,--section-start=.stack=0x10000000 -Wl,-z,max-page-size=4096 -o ${traced_program}
            ${CMAKE_CURRENT_LIST_DIR}/traced_program.S
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/traced_program.S VERBATIM)
  string(REGEX REPLACE "gcc$" "objdump" rv32_objdump ${ARMATURE_RV32_GCC})
  add_custom_target(traced_program DEPENDS ${traced_program})
  armature_test(unit_iss_symbols LABEL unit FOLDERS iss
                SOURCES iss_disassembly_test.cpp iss_execution_test.cpp iss_symbols_test.cpp
                DEFINITIONS TRACED_PROGRAM="${traced_program}" OBJDUMP="${rv32_objdump}"
                            OWN_FIRMWARE="${PROJECT_BINARY_DIR}/models/firmware/firmware.elf")
  add_dependencies(unit_iss_symbols traced_program)
endif()
# Without the tests' precompiled header: clang-tidy reads the file as this target compiles it.
set_source_files_properties(${PROJECT_SOURCE_DIR}/models/iss/absent/absent.cpp
                            ${PROJECT_SOURCE_DIR}/models/iss/engine/symbols.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
armature_test(unit_iss_absent LABEL unit
              SOURCES iss_absent_test.cpp ${PROJECT_SOURCE_DIR}/models/iss/absent/absent.cpp
                      ${PROJECT_SOURCE_DIR}/models/iss/engine/symbols.cpp)
target_include_directories(unit_iss_absent PRIVATE ${PROJECT_SOURCE_DIR}/models/iss/include)
