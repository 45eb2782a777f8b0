armature_test(unit_power LABEL unit FOLDERS power SOURCES
  ${CMAKE_CURRENT_SOURCE_DIR}/power_ledger_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/power_random_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/power_joint_history_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/power_history_test.cpp)
