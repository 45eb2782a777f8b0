armature_test(unit_app LABEL unit FOLDERS app
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/app_scenario_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/app_simulation_test.cpp
          ${CMAKE_CURRENT_SOURCE_DIR}/app_terminal_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/app_large_pages_test.cpp)
# The parts of the program that are not an interface to anybody else.
target_include_directories(unit_app PRIVATE ${PROJECT_SOURCE_DIR}/models/app/src)
