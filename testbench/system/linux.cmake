# A Linux guest on the drives. The wrapper makes kernel and root file system, and tells them by the environment.
armature_test(system_linux LABEL system LIBRARIES armature_program_runner TIMEOUT 300
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/linux_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/linux_settings_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/linux_jobs_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/linux_faults_test.cpp)
armature_test(full_linux LABEL full LIBRARIES armature_program_runner TIMEOUT 1200
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/linux_elf_test.cpp ${CMAKE_CURRENT_SOURCE_DIR}/linux_study_test.cpp
                      ${CMAKE_CURRENT_SOURCE_DIR}/linux_cuts_test.cpp)
armature_test(nightly_linux LABEL nightly LIBRARIES armature_program_runner TIMEOUT 7200
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/linux_many_cuts_test.cpp)
