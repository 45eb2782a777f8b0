# The channel arbiter as it is in a drive.
armature_test(cosim_channel_arbiter_modes LABEL cosim FOLDERS arbiter
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/channel_arbiter_modes_test.cpp)

# With a bug planted in its RTL. The program's own instance comes before that in armature_arbiter.
file(READ ${PROJECT_SOURCE_DIR}/rtl/cha/channel_arbiter.sv channel_arbiter)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/cha/channel_arbiter.sv)
function(wrong_channel_arbiter kind right wrong)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${kind}_channel_arbiter)
  string(REPLACE "${right}" "${wrong}" planted "${channel_arbiter}")
  if(planted STREQUAL channel_arbiter)
    message(FATAL_ERROR "channel_arbiter.sv has no line to plant a bug in")
  endif()
  file(CONFIGURE OUTPUT ${folder}/channel_arbiter.sv CONTENT "${planted}" @ONLY)
  set(program cosim_${kind}_channel_arbiter)
  string(TOUPPER ${kind} definition)
  armature_test(${program} LABEL cosim FOLDERS arbiter
                SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/wrong_channel_arbiter_test.cpp)
  target_compile_definitions(${program} PRIVATE ARMATURE_${definition})
  armature_cha_rtl(${program} ${kind}_cha ${folder})
endfunction()
# An assertion sees this: the upper arm of two wins with the longer wait.
wrong_channel_arbiter(failing "wait_q[(2*p+1)*A+:A] < wait_q[2*p*A+:A]" "wait_q[(2*p+1)*A+:A] > wait_q[2*p*A+:A]")
# None sees this, as they take the angles from there: 1/4 revolution late, so that the other arm is the nearer one.
wrong_channel_arbiter(different "stack_angle[STACKS*A-1:0] = angle;" "stack_angle[STACKS*A-1:0] = angle + {STACKS{16'h6000}};")
