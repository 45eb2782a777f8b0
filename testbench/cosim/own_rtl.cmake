# RTL with another policy in place of rtl/aau (rtl/examples/move_time). The program's own objects come before those in
# armature_arbiter, so that its instances are these.
armature_test(cosim_own_rtl LABEL cosim FOLDERS arbiter SOURCES ${CMAKE_CURRENT_LIST_DIR}/own_rtl_test.cpp)
armature_aau_rtl(cosim_own_rtl move_time ${PROJECT_SOURCE_DIR}/rtl/examples/move_time 32x4)
