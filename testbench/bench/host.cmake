add_executable(host_bench host_bench.cpp ../support/scripted_device.cpp)
target_link_libraries(host_bench PRIVATE armature_host benchmark::benchmark armature_options)
target_include_directories(host_bench PRIVATE ${PROJECT_SOURCE_DIR}/testbench)
