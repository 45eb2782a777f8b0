# Debian packages: cpack -G DEB in the build folder. `armature` is the program, `libarmature-dev` the library of others,
# `python3-armature` the module `armature` for Debian's Python.
set(CPACK_PACKAGE_NAME armature)
set(CPACK_PACKAGE_VENDOR Armature)
set(CPACK_PACKAGE_CONTACT "Armature developers <armature@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME armature)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "gcc-riscv64-unknown-elf, gtkwave")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Simulates hard disks and MEMS stores with their firmware, link and mechanics.\nThe program, scenarios and drive files.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libarmature-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What ArmatureConfig.cmake and armature.pc ask for; the scenarios are the program's.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "armature (= ${PROJECT_VERSION}), pkg-config, libsystemc-dev, libfmt-dev, libspdlog-dev, libtomlplusplus-dev, libarchive-dev, zlib1g-dev, libelf-dev, libdw-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, g++, verilator")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "A drive as a module of a SystemC platform: headers, static library, CMake package.\nAn example lies in /usr/share/doc/libarmature-dev/examples.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-armature)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
# Those of pyproject.toml that Debian has; it has no pyarrow, which only tables in Parquet need.
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "armature (= ${PROJECT_VERSION}), python3 (>= 3.11), python3-numpy, python3-scipy, python3-pandas, python3-matplotlib, python3-plotly, python3-jinja2, python3-cbor2")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "jupyter-notebook, python3-distributed")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_LIST_DIR}/package/python/postinst;${CMAKE_CURRENT_LIST_DIR}/package/python/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "Runs and sweeps of the program armature from Python: import armature.\nTables of results are pandas DataFrames.")
include(CPack)
