armature_test(unit_core_config LABEL unit FOLDERS core
  SOURCES core_units_test.cpp core_block_address_test.cpp core_conversions_test.cpp core_divisor_test.cpp
    core_config_test.cpp core_config_output_test.cpp core_typed_keys_test.cpp core_log_test.cpp core_shared_equal_test.cpp)
