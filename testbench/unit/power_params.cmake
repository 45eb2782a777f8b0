armature_test(unit_power_params LABEL unit FOLDERS power SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/power_params_test.cpp)
