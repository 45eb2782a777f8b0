find_package(nlohmann_json REQUIRED)
armature_test(unit_observe LABEL unit FOLDERS observe LIBRARIES armature_fstapi nlohmann_json::nlohmann_json
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/observe_fst_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_tracker_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/observe_statistics_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_files_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/observe_panels_test.cpp ${CMAKE_CURRENT_LIST_DIR}/observe_steady_test.cpp)
