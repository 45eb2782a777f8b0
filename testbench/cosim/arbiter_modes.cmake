# The unit as it is in a drive, with the RTL of ARMATURE_AAU_RTL.
armature_test(cosim_arbiter_modes LABEL cosim FOLDERS arbiter SOURCES ${CMAKE_CURRENT_LIST_DIR}/arbiter_modes_test.cpp)

# The same for RTL of which only the ports are known: rtl/aau, listed without probes.vlt.
set(ports_only ${CMAKE_CURRENT_BINARY_DIR}/ports_only)
file(RELATIVE_PATH to_aau ${ports_only} ${PROJECT_SOURCE_DIR}/rtl/aau)
file(STRINGS ${PROJECT_SOURCE_DIR}/rtl/aau/sources.txt ports_only_sources)
list(PREPEND ports_only_sources lint.vlt)
list(TRANSFORM ports_only_sources PREPEND ${to_aau}/)
list(JOIN ports_only_sources "\n" ports_only_sources)
file(CONFIGURE OUTPUT ${ports_only}/sources.txt CONTENT "${ports_only_sources}\n")
armature_test(cosim_arbiter_ports LABEL cosim FOLDERS arbiter SOURCES ${CMAKE_CURRENT_LIST_DIR}/arbiter_modes_test.cpp)
target_compile_definitions(cosim_arbiter_ports PRIVATE ARMATURE_ONE_INSTANCE)
armature_aau_rtl(cosim_arbiter_ports ports_only ${ports_only} 32x1)
