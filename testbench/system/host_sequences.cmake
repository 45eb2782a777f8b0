armature_test(system_host_sequences LABEL system LIBRARIES armature_program_runner
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/host_sequences_test.cpp)
target_compile_definitions(system_host_sequences PRIVATE ARMATURE_PROGRAM="$<TARGET_FILE:armature>")
