armature_test(unit_checkpoint LABEL unit FOLDERS checkpoint SOURCES checkpoint_test.cpp checkpoint_history_test.cpp)
