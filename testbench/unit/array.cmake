armature_test(unit_array LABEL unit FOLDERS array host workload
  SOURCES array_layout_test.cpp array_row_plan_test.cpp array_controller_test.cpp array_contents_test.cpp)
# The same with 31,250 requests a load: 10^6 and more in all.
armature_test(unit_array_full LABEL full FOLDERS array host workload TIMEOUT 900
  SOURCES array_contents_test.cpp)
