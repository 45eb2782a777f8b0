armature_test(unit_architecture LABEL unit SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/architecture_test.cpp)

# No function of the models is longer than a stated limit; and one that is one line too long is found.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME unit.Architecture.FunctionsAreShort
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/function_length.py ${PROJECT_SOURCE_DIR}/models)
add_test(NAME unit.Architecture.AFunctionThatIsTooLongIsFound
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/function_length.py --plant)
set_tests_properties(unit.Architecture.FunctionsAreShort unit.Architecture.AFunctionThatIsTooLongIsFound
  PROPERTIES LABELS unit TIMEOUT 60)
