# Another folder holds a copy with a planted bug, which need not lint (arm_arbitration_mutants).
set(ARMATURE_COSIM_AAU ${PROJECT_SOURCE_DIR}/rtl/aau CACHE PATH "RTL that the bench of the arm-arbitration unit verilates")
set(aau_rtl ${ARMATURE_COSIM_AAU})
set(aau_fatal)
if(NOT aau_rtl STREQUAL ${PROJECT_SOURCE_DIR}/rtl/aau)
  set(aau_fatal -Wno-fatal)
endif()
armature_rtl_sources(${aau_rtl} aau_sources aau_waivers)
list(FILTER aau_waivers EXCLUDE REGEX "/probes\\.vlt$")  # the bench looks at the pins only
list(FILTER aau_sources EXCLUDE REGEX "/probes\\.vlt$")

# arm_arbitration_instance(name SLOTS=n ARMS=n ...): all parameters of the RTL; the bench knows the instance by its name.
function(arm_arbitration_instance name)
  armature_verilated(arm_arbitration_${name} TOP arm_arbitration_unit PREFIX Vaau_${name}
    SOURCES ${aau_waivers} ${aau_sources} PARAMETERS ${ARGN} ARGUMENTS --x-assign unique --x-initial unique ${aau_fatal})
  add_library(arm_arbitration_${name}_model OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/arm_arbitration_instance.cpp)
  target_link_libraries(arm_arbitration_${name}_model PUBLIC arm_arbitration_${name} armature_arbiter armature_options)
  target_include_directories(arm_arbitration_${name}_model PRIVATE ${PROJECT_SOURCE_DIR}/testbench)
  list(TRANSFORM ARGN PREPEND AAU_)
  if(NOT "${ARGN}" MATCHES "COST_MODEL")
    list(APPEND ARGN AAU_COST_MODEL=0)
  endif()
  target_include_directories(arm_arbitration_${name}_model PRIVATE ${PROJECT_SOURCE_DIR}/rtl/cosim)
  target_compile_definitions(arm_arbitration_${name}_model PRIVATE
    AAU_HEADER="Vaau_${name}.h" AAU_CLASS=Vaau_${name} AAU_NAME="${name}" ${ARGN})
endfunction()

arm_arbitration_instance(lanes4 SLOTS=32 ARMS=8 HEADS=4 LANES=4 CLASSES=2 SEEK_ENTRIES=256 STACKS=8 CYL_BITS=23
                         ANGLE_BITS=16 SEQ_BITS=32 TICK_BITS=40)
arm_arbitration_instance(lane1 SLOTS=32 ARMS=8 HEADS=4 LANES=1 CLASSES=2 SEEK_ENTRIES=256 STACKS=8 CYL_BITS=23
                         ANGLE_BITS=16 SEQ_BITS=32 TICK_BITS=40)
arm_arbitration_instance(slots256 SLOTS=256 ARMS=8 HEADS=4 LANES=4 CLASSES=2 SEEK_ENTRIES=256 STACKS=8 CYL_BITS=23
                         ANGLE_BITS=16 SEQ_BITS=32 TICK_BITS=40)
# Few bits: ties, and wraps of sequence and tick; widths that are no powers of two.
arm_arbitration_instance(narrow SLOTS=24 ARMS=5 HEADS=3 LANES=8 CLASSES=1 SEEK_ENTRIES=32 STACKS=3 CYL_BITS=6
                         ANGLE_BITS=5 SEQ_BITS=8 TICK_BITS=9)
arm_arbitration_instance(small SLOTS=2 ARMS=2 HEADS=2 LANES=1 CLASSES=2 SEEK_ENTRIES=4 STACKS=2 CYL_BITS=3
                         ANGLE_BITS=3 SEQ_BITS=3 TICK_BITS=6)

# Every case there is.
arm_arbitration_instance(tiny SLOTS=2 ARMS=2 HEADS=2 LANES=1 CLASSES=1 SEEK_ENTRIES=4 STACKS=2 CYL_BITS=2
                         ANGLE_BITS=2 SEQ_BITS=3 TICK_BITS=6)

add_library(arm_arbitration_bench STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/arm_arbitration_bench.cpp
            ${CMAKE_CURRENT_SOURCE_DIR}/arm_arbitration_random.cpp)
target_link_libraries(arm_arbitration_bench PUBLIC armature_arbiter armature_test_support fmt::fmt)

function(arm_arbitration_test name)  # arm_arbitration_test(name LABEL label SOURCES file... INSTANCES name... [TIMEOUT s])
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;INSTANCES" ${ARGN})
  set(objects)
  set(libraries)
  foreach(instance IN LISTS ARG_INSTANCES)
    list(APPEND objects $<TARGET_OBJECTS:arm_arbitration_${instance}_model>)
    list(APPEND libraries arm_arbitration_${instance})
  endforeach()
  armature_test(${name} LABEL ${ARG_LABEL} FOLDERS arbiter SOURCES ${ARG_SOURCES} ${objects}
                LIBRARIES arm_arbitration_bench ${libraries} TIMEOUT ${ARG_TIMEOUT})
endfunction()

set(aau_all lanes4 lane1 slots256 narrow small)
arm_arbitration_test(cosim_aau LABEL cosim TIMEOUT 120 INSTANCES lanes4 slots256 narrow small
                     SOURCES arm_arbitration_directed_test.cpp arm_arbitration_appointments_test.cpp arm_arbitration_writes_test.cpp
                             arm_arbitration_registers_test.cpp arm_arbitration_gated_test.cpp)
arm_arbitration_test(cosim_aau_all LABEL cosim TIMEOUT 120 INSTANCES tiny SOURCES arm_arbitration_exhaustive_test.cpp)
arm_arbitration_test(cosim_aau_random LABEL cosim TIMEOUT 120 INSTANCES ${aau_all} SOURCES arm_arbitration_random_test.cpp)
if(ARMATURE_FULL_TIER)
  target_compile_definitions(cosim_aau_all PRIVATE ARMATURE_AAU_EVERY_POLICY)
  arm_arbitration_test(cosim_aau_random_full LABEL full TIMEOUT 1800 INSTANCES ${aau_all} SOURCES arm_arbitration_random_test.cpp)
  target_compile_definitions(cosim_aau_random_full PRIVATE ARMATURE_AAU_DECISIONS=10000000)
endif()

# Planted bugs, each of which the bench must catch: all but the exhaustive cases, on the two instances that show most. The
# script builds this program with each of them; it is no test by itself.
add_executable(cosim_aau_mutant EXCLUDE_FROM_ALL arm_arbitration_directed_test.cpp
               arm_arbitration_appointments_test.cpp arm_arbitration_writes_test.cpp
               arm_arbitration_registers_test.cpp
               arm_arbitration_gated_test.cpp arm_arbitration_random_test.cpp
               $<TARGET_OBJECTS:arm_arbitration_lanes4_model> $<TARGET_OBJECTS:arm_arbitration_narrow_model>)
target_link_libraries(cosim_aau_mutant PRIVATE armature_test_main arm_arbitration_bench arm_arbitration_lanes4 arm_arbitration_narrow)
target_compile_definitions(cosim_aau_mutant PRIVATE ARMATURE_AAU_MUTANT)
if(aau_rtl STREQUAL ${PROJECT_SOURCE_DIR}/rtl/aau AND NOT ARMATURE_SANITIZE)
  add_test(NAME full.ArmArbitrationMutants
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/arm_arbitration_mutants ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(full.ArmArbitrationMutants PROPERTIES LABELS full TIMEOUT 3600)
endif()
