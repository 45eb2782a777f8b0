armature_test(unit_host_policy LABEL unit FOLDERS host workload
  SOURCES host_policy_index_test.cpp ../support/link_monitor.cpp ../support/scripted_device.cpp)
