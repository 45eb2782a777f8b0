armature_test(unit_host LABEL unit FOLDERS host sata workload
  SOURCES host_bus_adapter_test.cpp host_sata_port_test.cpp host_recovery_test.cpp host_queue_test.cpp host_port_test.cpp
          host_target_set_test.cpp host_policy_test.cpp host_command_test.cpp host_monitor_test.cpp host_contents_check_test.cpp
          ../support/link_monitor.cpp ../support/scripted_device.cpp)
