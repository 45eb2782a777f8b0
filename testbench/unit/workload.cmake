file(GLOB workload_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/workload_*_test.cpp)
armature_test(unit_workload LABEL unit FOLDERS workload SOURCES ${workload_tests})
target_include_directories(unit_workload PRIVATE ${PROJECT_SOURCE_DIR}/models/workload/src)  # number.h
