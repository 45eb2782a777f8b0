add_executable(bus_bench bus_bench.cpp)
target_include_directories(bus_bench PRIVATE ${PROJECT_SOURCE_DIR}/testbench)
target_link_libraries(bus_bench PRIVATE armature_controller armature_arbiter armature_options benchmark::benchmark)
