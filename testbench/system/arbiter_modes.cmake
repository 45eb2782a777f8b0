armature_test(system_arbiter_modes LABEL system LIBRARIES armature_program_runner armature_fstapi TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/arbiter_modes_test.cpp)
armature_test(system_request_lanes LABEL system LIBRARIES armature_program_runner armature_fstapi TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/request_lanes_test.cpp)
armature_test(system_answers LABEL system LIBRARIES armature_program_runner nlohmann_json::nlohmann_json TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/answers_test.cpp)
armature_test(system_waves LABEL system LIBRARIES armature_program_runner armature_fstapi TIMEOUT 120
              SOURCES ${CMAKE_CURRENT_LIST_DIR}/waves_test.cpp)
