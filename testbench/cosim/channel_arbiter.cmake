set(rtl ${PROJECT_SOURCE_DIR}/rtl)
function(channel_arbiter_instance suffix)
  armature_verilated(channel_arbiter_${suffix} TOP channel_arbiter PREFIX Vcha_${suffix}
    SOURCES ${rtl}/regs/cha_regs_pkg.sv ${rtl}/cha/channel_arbiter.sv INCLUDES ${rtl}/cha
    PARAMETERS ${ARGN} ARGUMENTS --x-assign unique --x-initial unique)
endfunction()
channel_arbiter_instance(full ARMS=8 CHANNELS=8 STACKS=8 ANGLE_BITS=16)
channel_arbiter_instance(odd ARMS=5 CHANNELS=3 STACKS=2 ANGLE_BITS=9)
channel_arbiter_instance(small ARMS=2 CHANNELS=2 STACKS=2 ANGLE_BITS=2)

# Verilator's headers ask for SystemC's clock once they see SystemC.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/channel_arbiter_test.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
armature_test(cosim_channel_arbiter LABEL cosim FOLDERS arbiter SOURCES channel_arbiter_test.cpp TIMEOUT 120
  LIBRARIES channel_arbiter_full channel_arbiter_odd channel_arbiter_small)
if(ARMATURE_FULL_TIER)
  target_compile_definitions(cosim_channel_arbiter PRIVATE ARMATURE_CHA_MILLION)
endif()
