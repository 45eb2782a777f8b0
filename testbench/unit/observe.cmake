find_package(nlohmann_json REQUIRED)
armature_test(unit_observe LABEL unit FOLDERS observe LIBRARIES armature_fstapi nlohmann_json::nlohmann_json
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/observe_fst_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_tracker_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/observe_statistics_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_files_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/observe_panels_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_steady_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/observe_json_text_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_jobs_test.cpp)
# Its headers that are not an interface to anybody else.
target_include_directories(unit_observe PRIVATE ${PROJECT_SOURCE_DIR}/models/observe/records ${PROJECT_SOURCE_DIR}/models/observe/results)
