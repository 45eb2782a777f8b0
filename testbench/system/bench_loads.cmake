# The loads of testbench/bench still run: the benchmarks themselves are not part of the tests.
add_test(NAME system.Bench.LoadsOfEveryKindRun
         COMMAND ${PROJECT_SOURCE_DIR}/testbench/bench/record_profile $<TARGET_FILE:armature> 100)
set_tests_properties(system.Bench.LoadsOfEveryKindRun PROPERTIES LABELS system TIMEOUT 60)
