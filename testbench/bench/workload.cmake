# Links SystemC, whose library owns main().
add_executable(reader_bench ${CMAKE_CURRENT_LIST_DIR}/reader_bench.cpp)
target_include_directories(reader_bench PRIVATE ${PROJECT_SOURCE_DIR}/testbench)
target_link_libraries(reader_bench PRIVATE armature_workload armature_options benchmark::benchmark GTest::gtest)
