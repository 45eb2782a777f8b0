armature_test(unit_architecture LABEL unit SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/architecture_test.cpp)

# No function of the models is longer than a stated limit; and one that is one line too long is found.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME unit.Architecture.FunctionsAreShort
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/function_length.py ${PROJECT_SOURCE_DIR}/models)
add_test(NAME unit.Architecture.AFunctionThatIsTooLongIsFound
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/function_length.py --plant)
set_tests_properties(unit.Architecture.FunctionsAreShort unit.Architecture.AFunctionThatIsTooLongIsFound
  PROPERTIES LABELS unit TIMEOUT 60)

# Who changes what of the firmware's context, against what its structures state; and a foreign write is found.
add_test(NAME unit.Architecture.FirmwareStateHasOwners
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware_owners.py)
add_test(NAME unit.Architecture.AForeignWriteIsFound
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/firmware_owners.py --plant)
set_tests_properties(unit.Architecture.FirmwareStateHasOwners unit.Architecture.AForeignWriteIsFound
  PROPERTIES LABELS unit TIMEOUT 60)

# All of the program is optimised. One object that is not would do more than be slow itself: of functions that several
# objects have, such as those of templates, the linker takes the first. Without optimisation iterators have constructors.
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo AND NOT ARMATURE_SANITIZE)
  add_test(NAME unit.Architecture.AllOfTheProgramIsOptimised
    COMMAND sh -c "nm -C '$<TARGET_FILE:armature>' >program.nm && ! grep -F '>::__normal_iterator(' program.nm")
  set_tests_properties(unit.Architecture.AllOfTheProgramIsOptimised PROPERTIES LABELS unit TIMEOUT 60)
endif()
