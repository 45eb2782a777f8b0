# The instruction-set simulator, if it is there; and what stands in its place otherwise.
if(LIBELF_FOUND)
  armature_test(unit_iss LABEL unit FOLDERS iss controller
                SOURCES iss_instructions_test.cpp iss_machine_test.cpp iss_processor_test.cpp ../support/program.cpp
                DEFINITIONS ARMATURE_PROGRAM="none")
endif()
# Without the tests' precompiled header: clang-tidy reads the file as this target compiles it.
set_source_files_properties(${PROJECT_SOURCE_DIR}/models/iss/absent/absent.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
armature_test(unit_iss_absent LABEL unit
              SOURCES iss_absent_test.cpp ${PROJECT_SOURCE_DIR}/models/iss/absent/absent.cpp)
target_include_directories(unit_iss_absent PRIVATE ${PROJECT_SOURCE_DIR}/models/iss/include)
# Against another simulator, which only tests need.
pkg_check_modules(UNICORN IMPORTED_TARGET unicorn>=2)
if(LIBELF_FOUND AND UNICORN_FOUND)
  armature_test(unit_iss_unicorn LABEL unit FOLDERS iss LIBRARIES PkgConfig::UNICORN
                SOURCES iss_unicorn_test.cpp ../support/program.cpp
                DEFINITIONS ARMATURE_PROGRAM="none")
else()
  message(STATUS "no tests of the instruction-set simulator against Unicorn: libunicorn-dev is missing")
endif()
