add_executable(bench_bus bus_bench.cpp)
target_include_directories(bench_bus PRIVATE ${PROJECT_SOURCE_DIR}/testbench)
target_link_libraries(bench_bus PRIVATE armature_controller armature_arbiter armature_options benchmark::benchmark)
