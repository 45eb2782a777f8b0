armature_test(unit_cylinder_index LABEL unit FOLDERS core SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/core_cylinder_index_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/core_memory_test.cpp)
