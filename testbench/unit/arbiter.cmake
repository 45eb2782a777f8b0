armature_test(unit_arbiter LABEL unit FOLDERS arbiter
  SOURCES arbiter_seek_table_test.cpp arbiter_core_timing_test.cpp arbiter_core_cost_test.cpp arbiter_unit_test.cpp arbiter_oracle_test.cpp arbiter_index_test.cpp)
