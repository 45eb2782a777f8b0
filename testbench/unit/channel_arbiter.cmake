armature_test(unit_channel_arbiter LABEL unit FOLDERS arbiter SOURCES arbiter_channel_test.cpp)
