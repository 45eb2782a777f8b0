# Firmware as an ELF against native firmware, if there is something to run it and a compiler for it.
if(LIBELF_FOUND AND ARMATURE_RV32_GCC)
  armature_test(system_iss LABEL system LIBRARIES armature_program_runner armature_fstapi ZLIB::ZLIB nlohmann_json::nlohmann_json fmt::fmt
                TIMEOUT 120
                SOURCES ${CMAKE_CURRENT_LIST_DIR}/iss_test.cpp ${CMAKE_CURRENT_LIST_DIR}/iss_traces_test.cpp)
  armature_test(system_iss_time LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json TIMEOUT 120
                SOURCES ${CMAKE_CURRENT_LIST_DIR}/iss_time_test.cpp)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(what IN ITEMS check plant)
    add_test(NAME Firmware.Costs_${what}
             COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/models/app/shell/firmware_costs.py $<TARGET_FILE:armature> --${what})
    set_tests_properties(Firmware.Costs_${what} PROPERTIES LABELS system TIMEOUT 120)
  endforeach()
endif()
