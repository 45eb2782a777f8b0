# Each handler on a mock of the registers: no model is linked.
armature_test(unit_firmware LABEL unit FOLDERS firmware
  SOURCES firmware_reset_test.cpp firmware_timer_test.cpp firmware_power_test.cpp firmware_media_test.cpp
          firmware_command_test.cpp firmware_reach_test.cpp firmware_acoustic_test.cpp firmware_apm_test.cpp firmware_governor_test.cpp
          firmware_debug_test.cpp
          firmware_saves_test.cpp firmware_lines_test.cpp
          ../support/mock_mmio.cpp)
target_include_directories(unit_firmware PRIVATE ${PROJECT_SOURCE_DIR}/models/firmware/src)
armature_test(unit_firmware_schedule LABEL unit FOLDERS firmware SOURCES firmware_schedule_test.cpp)
target_include_directories(unit_firmware_schedule PRIVATE ${PROJECT_SOURCE_DIR}/models/firmware/src)
# Its object is linked again with planted bugs, without SystemC.
set_target_properties(unit_firmware_schedule PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
# The same code on the controller's blocks, with stand-ins for the mechanics.
armature_test(unit_firmware_scenario LABEL unit FOLDERS controller arbiter firmware media
  SOURCES firmware_scenario_test.cpp firmware_error_test.cpp firmware_posted_test.cpp
          ../support/bus_monitor.cpp ../support/posted_bus.cpp ../support/scripted_host.cpp)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
# Bugs planted in the schedule: each is caught by a test that names it.
if(NOT ARMATURE_SANITIZE)
  add_test(NAME unit.Schedule.CatchesEachPlantedBug
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware_schedule_plants.py --cc ${CMAKE_C_COMPILER}
            --cxx ${CMAKE_CXX_COMPILER} --library $<TARGET_FILE:armature_firmware>
            $<TARGET_OBJECTS:unit_firmware_schedule>
    COMMAND_EXPAND_LISTS)
  set_tests_properties(unit.Schedule.CatchesEachPlantedBug PROPERTIES LABELS unit TIMEOUT 300)
endif()

# The code as the controller's processor would run it: RV32IMAC without an operating system.
find_program(ARMATURE_RV32_GCC riscv64-unknown-elf-gcc)
add_test(NAME unit.Firmware.CompilesForRv32imac
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware_rv32.py --compiler ${ARMATURE_RV32_GCC})
set_tests_properties(unit.Firmware.CompilesForRv32imac PROPERTIES LABELS unit TIMEOUT 120)

# The calls between its files, by their object files, keep to the layers; and breaking each rule is caught.
add_test(NAME unit.Firmware.CallsKeepToTheLayers
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware_layers.py --nm ${CMAKE_NM}
          $<TARGET_OBJECTS:armature_firmware>
  COMMAND_EXPAND_LISTS)
add_test(NAME unit.Firmware.CallsAgainstTheLayersAreCaught
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware_layers.py --nm ${CMAKE_NM}
          --compiler ${CMAKE_C_COMPILER} --plant $<TARGET_OBJECTS:armature_firmware>
  COMMAND_EXPAND_LISTS)
set_tests_properties(unit.Firmware.CallsKeepToTheLayers unit.Firmware.CallsAgainstTheLayersAreCaught
  PROPERTIES LABELS unit TIMEOUT 60)

# The examples of docs/guide/extending.md, on a copy of the sources. They link libraries of the build without its sanitizers.
set(examples register job dispatch_policy)
if(ARMATURE_SANITIZE)
  set(examples)
endif()
if(ARMATURE_FIRMWARE_ELF)
  list(APPEND examples firmware_policy ata_command)
endif()
if(ARMATURE_FULL_TIER)
  list(APPEND examples dispatch_policy_built)  # builds the program of a copy of the tree: minutes
endif()
foreach(what IN LISTS examples)
  add_test(NAME unit.Extending.${what}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/extending_test.py ${what} --build ${PROJECT_BINARY_DIR}
            --cc ${CMAKE_C_COMPILER} --cxx ${CMAKE_CXX_COMPILER} --nm ${CMAKE_NM})
  set_tests_properties(unit.Extending.${what} PROPERTIES LABELS unit TIMEOUT 180)
  if(what MATCHES "_built$")
    set_tests_properties(unit.Extending.${what} PROPERTIES LABELS full TIMEOUT 1800)
  endif()
endforeach()

# The register description for debuggers keeps to its schema, and breaking a rule is caught.
add_test(NAME unit.Registers.SvdKeepsToItsSchema
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/svd_rules.py ${PROJECT_SOURCE_DIR}/docs/reference/armature.svd)
set_tests_properties(unit.Registers.SvdKeepsToItsSchema PROPERTIES LABELS unit TIMEOUT 60)
