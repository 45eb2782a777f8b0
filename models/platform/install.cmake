# What `cmake --install` installs: the program with the files that it reads at run time, and the library for platforms
# of others, with its public headers, its CMake package and its pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# armature_closure(target archives others): the static libraries of this project that `target` needs, itself first, and
# the libraries of others.
function(armature_closure target archives others)
  set(pending ${target})
  set(seen "")
  set(found_archives "")
  set(found_others "")
  while(pending)
    list(POP_FRONT pending one)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" one "${one}")
    if(one IN_LIST seen OR one MATCHES "^::@" OR one STREQUAL armature_options)
      continue()
    endif()
    list(APPEND seen ${one})
    if(NOT TARGET ${one})
      list(APPEND found_others ${one})
      continue()
    endif()
    get_target_property(imported ${one} IMPORTED)
    if(imported)
      list(APPEND found_others ${one})
      continue()
    endif()
    get_target_property(type ${one} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND found_archives ${one})
    endif()
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(more ${one} ${property})
      if(more)
        list(APPEND pending ${more})
      endif()
    endforeach()
  endwhile()
  set(${archives} ${found_archives} PARENT_SCOPE)
  set(${others} ${found_others} PARENT_SCOPE)
endfunction()

# Libraries of others, as our build names them, and their pkg-config module; "-" has headers only, or is found otherwise.
set(modules PkgConfig::SYSTEMC systemc  fmt::fmt fmt  PkgConfig::TOMLPLUSPLUS tomlplusplus  spdlog::spdlog spdlog
            PkgConfig::LIBARCHIVE libarchive  ZLIB::ZLIB zlib  PkgConfig::LIBELF libelf+libdw
            Eigen3::Eigen -  nlohmann_json::nlohmann_json -  CLI11::CLI11 -  Threads::Threads -)

armature_closure(armature_platform archives others)
set(ARMATURE_PC_MODULES "")
foreach(library IN LISTS others)
  list(FIND modules ${library} at)
  if(at LESS 0)
    message(FATAL_ERROR "${library} is needed by the installed library: models/platform/install.cmake must say how a platform finds it")
  endif()
  math(EXPR at "${at} + 1")
  list(GET modules ${at} module)
  if(NOT module STREQUAL "-")
    string(REPLACE "+" ";" module ${module})
    list(APPEND ARMATURE_PC_MODULES ${module})
  endif()
endforeach()
list(REMOVE_DUPLICATES ARMATURE_PC_MODULES)
list(JOIN ARMATURE_PC_MODULES " " ARMATURE_PC_MODULES)

# One object file in one archive, which shows only our own symbols (package/join_archives says why).
set(archive ${CMAKE_CURRENT_BINARY_DIR}/libarmature.a)
set(join ${CMAKE_CURRENT_SOURCE_DIR}/package/join_archives)
set(files "")
foreach(library IN LISTS archives)
  list(APPEND files $<TARGET_FILE:${library}>)
endforeach()
add_custom_command(OUTPUT ${archive}
  COMMAND ${join} ${CMAKE_CXX_COMPILER} ${CMAKE_NM} ${CMAKE_OBJCOPY} ${CMAKE_AR} ${archive} ${files}
  DEPENDS ${archives} ${join} COMMENT "Joining libarmature.a" VERBATIM)
# Of an instrumented build, or one whose objects are for the linker's optimisation, only on demand.
set(in_all ALL)
if(ARMATURE_SANITIZE OR ARMATURE_COVERAGE OR ARMATURE_LTO OR ARMATURE_PROFILE)
  set(in_all "")
endif()
add_custom_target(armature_archive ${in_all} DEPENDS ${archive})

# Public headers: public_headers.txt says which.
file(STRINGS public_headers.txt public_headers REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS public_headers.txt)
foreach(header IN LISTS public_headers)
  string(REGEX REPLACE "/.*" "" folder ${header})
  set(file ${PROJECT_SOURCE_DIR}/models/${folder}/include/armature/${header})
  if(NOT EXISTS ${file})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/include/armature/${header})
  endif()
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/armature/${folder} COMPONENT development)
endforeach()

set(data ${CMAKE_INSTALL_DATADIR}/armature)
add_library(armature_installed INTERFACE)
set_target_properties(armature_installed PROPERTIES EXPORT_NAME drive)
target_compile_features(armature_installed INTERFACE cxx_std_17)
target_include_directories(armature_installed INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(armature_installed INTERFACE $<INSTALL_INTERFACE:ARMATURE_DATA_DIR="$<INSTALL_PREFIX>/${data}">)
target_link_libraries(armature_installed INTERFACE
  $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/libarmature.a>
  $<INSTALL_INTERFACE:PkgConfig::Armature_SYSTEMC>
  $<INSTALL_INTERFACE:$<LINK_ONLY:PkgConfig::Armature_LIBRARIES>>
  $<INSTALL_INTERFACE:$<LINK_ONLY:Threads::Threads>>)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Armature)
install(TARGETS armature_installed EXPORT ArmatureTargets COMPONENT development)
install(EXPORT ArmatureTargets NAMESPACE Armature:: DESTINATION ${package} COMPONENT development)
configure_package_config_file(package/ArmatureConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ArmatureConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS data)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ArmatureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ArmatureConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ArmatureConfigVersion.cmake
        DESTINATION ${package} COMPONENT development)
# Its prefix is relative to the file itself, so that the tree can be moved.
file(RELATIVE_PATH ARMATURE_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(package/armature.pc.in ${CMAKE_CURRENT_BINARY_DIR}/armature.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/armature.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# The program, and what it reads at run time.
install(TARGETS armature RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${data} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/firmware DESTINATION ${data}/models COMPONENT program USE_SOURCE_PERMISSIONS
        PATTERN "*.cmake" EXCLUDE PATTERN CMakeLists.txt EXCLUDE PATTERN gdb EXCLUDE PATTERN "*.py" EXCLUDE)
# The build of firmware reads the list of its sources.
install(FILES ${PROJECT_SOURCE_DIR}/models/firmware/sources.cmake DESTINATION ${data}/models/firmware COMPONENT program)

# Schemas of its files, by which editors complete and check them.
set(schemas "")
foreach(kind scenario drive plant)
  set(schema ${PROJECT_BINARY_DIR}/schema/${kind}.json)
  add_custom_command(OUTPUT ${schema} COMMAND armature describe --schema ${kind} > ${schema} DEPENDS armature VERBATIM)
  list(APPEND schemas ${schema})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/schema)
add_custom_target(armature_schemas ALL DEPENDS ${schemas})
install(FILES ${schemas} DESTINATION ${data}/schema COMPONENT program)

# Man pages, from the help of the program.
find_program(PYTHON3 python3)
if(PYTHON3)
  set(man ${CMAKE_CURRENT_BINARY_DIR}/man)
  set(man_page ${PROJECT_SOURCE_DIR}/models/app/shell/man_page.py)
  add_custom_command(OUTPUT ${man}/armature.1 COMMAND ${PYTHON3} ${man_page} $<TARGET_FILE:armature> ${man}
                     DEPENDS armature ${man_page} COMMENT "Writing man pages" VERBATIM)
  add_custom_target(armature_man ALL DEPENDS ${man}/armature.1)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
else()
  message(STATUS "no man pages: python3 is missing")
endif()

# The module of Python, where Debian's Python looks for it below /usr.
set(python_modules lib/python3/dist-packages)
set(study ${PROJECT_SOURCE_DIR}/models/study/armature)
install(DIRECTORY ${study} DESTINATION ${python_modules} COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "*.js" PATTERN "*.in" PATTERN ".*" EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN assets EXCLUDE)
foreach(asset palette.js report.css)  # the folder is a link in the sources
  install(FILES ${PROJECT_SOURCE_DIR}/models/observe/assets/${asset} DESTINATION ${python_modules}/armature/assets COMPONENT python)
endforeach()
configure_file(package/python/METADATA.in ${CMAKE_CURRENT_BINARY_DIR}/METADATA @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/METADATA DESTINATION ${python_modules}/armature-${PROJECT_VERSION}.dist-info COMPONENT python)

foreach(component program development python)
  set(name armature)
  if(component STREQUAL python)
    set(name python3-armature)
  endif()
  if(component STREQUAL development)
    set(name libarmature-dev)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright COMPONENT ${component})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples/platform DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libarmature-dev/examples
        COMPONENT development)
