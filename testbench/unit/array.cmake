armature_test(unit_array LABEL unit FOLDERS array host workload
  SOURCES array_layout_test.cpp array_row_plan_test.cpp array_controller_test.cpp array_contents_test.cpp
          array_power_cut_test.cpp array_deferred_test.cpp array_scrub_test.cpp array_bus_test.cpp array_cache_test.cpp
          array_staging_test.cpp array_power_budget_test.cpp
  DEFINITIONS ARMATURE_ARRAY_REQUESTS=4000)
target_include_directories(unit_array PRIVATE ${PROJECT_SOURCE_DIR}/models/array/src)  # sector_set.h
# Loads of 10^6 requests and more in all.
armature_test(unit_array_full LABEL full FOLDERS array host workload TIMEOUT 900
  SOURCES array_contents_test.cpp DEFINITIONS ARMATURE_ARRAY_REQUESTS=31250)
