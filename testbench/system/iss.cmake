# Firmware as an ELF against native firmware, if there is something to run it and a compiler for it.
if(LIBELF_FOUND AND ARMATURE_RV32_GCC)
  armature_test(system_iss LABEL system LIBRARIES armature_program_runner TIMEOUT 120
                SOURCES ${CMAKE_CURRENT_LIST_DIR}/iss_test.cpp)
endif()
