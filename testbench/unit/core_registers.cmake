armature_test(unit_core_registers LABEL unit FOLDERS core SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/core_register_bank_test.cpp)

# What is generated from rtl/regs carries the hash of its source; no generator is needed to see that it is stale.
add_test(NAME unit.GeneratedRegisterFilesCarryTheHashOfTheirSource
         COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
                 -P ${PROJECT_SOURCE_DIR}/testbench/support/cmake/register_hashes.cmake)
set_tests_properties(unit.GeneratedRegisterFilesCarryTheHashOfTheirSource PROPERTIES LABELS unit TIMEOUT 20)
