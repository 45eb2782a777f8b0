# RTL with another policy in place of rtl/aau (rtl/examples/move_time.patch). The program's own objects come before those in
# armature_arbiter, so that its instances are these.
armature_test(cosim_own_rtl LABEL cosim FOLDERS arbiter SOURCES ${CMAKE_CURRENT_LIST_DIR}/own_rtl_test.cpp)
set(move_time ${CMAKE_CURRENT_BINARY_DIR}/move_time)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/aau/aau_cost.sv
                                       ${PROJECT_SOURCE_DIR}/rtl/examples/move_time.patch ${PROJECT_SOURCE_DIR}/rtl/copy_unit.py)
execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/rtl/copy_unit.py --force ${move_time} ${PROJECT_SOURCE_DIR}/rtl/examples/move_time.patch
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
armature_aau_rtl(cosim_own_rtl move_time ${move_time} 32x4)

# rtl/aau with a bug that one of its assertions sees: the grant names the slot beside the winner.
set(failing ${CMAKE_CURRENT_BINARY_DIR}/failing_rtl)
file(RELATIVE_PATH to_aau ${failing} ${PROJECT_SOURCE_DIR}/rtl/aau)
file(READ ${PROJECT_SOURCE_DIR}/rtl/aau/aau_grant.sv grant)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/aau/aau_grant.sv)
string(REPLACE "slot_q <= slot_i;" "slot_q <= slot_i ^ SLOT_BITS'(1);" wrong "${grant}")
if(wrong STREQUAL grant)
  message(FATAL_ERROR "aau_grant.sv has no line to plant a bug in")
endif()
file(CONFIGURE OUTPUT ${failing}/aau_grant.sv CONTENT "${wrong}" @ONLY)
file(STRINGS ${PROJECT_SOURCE_DIR}/rtl/aau/sources.txt failing_sources)
list(PREPEND failing_sources lint.vlt probes.vlt)
list(TRANSFORM failing_sources PREPEND ${to_aau}/)
list(TRANSFORM failing_sources REPLACE ".*/aau_grant.sv" "aau_grant.sv")
list(JOIN failing_sources "\n" failing_sources)
file(CONFIGURE OUTPUT ${failing}/sources.txt CONTENT "${failing_sources}\n")
armature_test(cosim_failing_rtl LABEL cosim FOLDERS arbiter SOURCES ${CMAKE_CURRENT_LIST_DIR}/failing_rtl_test.cpp)
armature_aau_rtl(cosim_failing_rtl failing ${failing} 32x4)
