# The cost of a sled (COST_MODEL 1). Places have 16 bits; a narrow instance for ties.
arm_arbitration_instance(sled SLOTS=32 ARMS=8 HEADS=4 LANES=4 CLASSES=2 SEEK_ENTRIES=256 STACKS=8 CYL_BITS=16
                         ANGLE_BITS=16 SEQ_BITS=32 TICK_BITS=40 COST_MODEL=1)
arm_arbitration_instance(sled_narrow SLOTS=24 ARMS=5 HEADS=2 LANES=1 CLASSES=1 SEEK_ENTRIES=4 STACKS=2 CYL_BITS=3
                         ANGLE_BITS=3 SEQ_BITS=8 TICK_BITS=9 COST_MODEL=1)
arm_arbitration_test(cosim_aau_sled LABEL cosim TIMEOUT 120 INSTANCES sled sled_narrow
                     SOURCES arm_arbitration_sleds_test.cpp)
if(ARMATURE_FULL_TIER)
  arm_arbitration_test(cosim_aau_sled_full LABEL full TIMEOUT 1800 INSTANCES sled sled_narrow
                       SOURCES arm_arbitration_sleds_test.cpp)
  target_compile_definitions(cosim_aau_sled_full PRIVATE ARMATURE_AAU_DECISIONS=10000000)
endif()

# Planted bugs: on the instance of four lanes.
target_sources(cosim_aau_mutant PRIVATE ${CMAKE_CURRENT_LIST_DIR}/arm_arbitration_sleds_test.cpp
                                        $<TARGET_OBJECTS:arm_arbitration_sled_model>)
target_link_libraries(cosim_aau_mutant PRIVATE arm_arbitration_sled)
