armature_test(unit_controller LABEL unit FOLDERS controller
  SOURCES controller_blocks_test.cpp controller_host_interface_test.cpp controller_read_hits_test.cpp
          controller_buffer_bandwidth_test.cpp controller_power_unit_test.cpp controller_buffer_activity_test.cpp
          controller_nvm_test.cpp
          ../support/scripted_host.cpp)
# With firmware of its own in place of the drive's: the test's fw_isr is linked instead of the library's.
armature_test(unit_controller_processor LABEL unit FOLDERS controller
  SOURCES controller_processor_test.cpp ../support/bus_monitor.cpp)
