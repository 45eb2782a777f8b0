#include "armature/app/command_line.h"

#include <systemc>

#include <cstdlib>

int sc_main(int argc, char** argv) {
  return armature::app::command_line(argc, argv);
}

int main(int argc, char** argv) {
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", /*overwrite=*/1);  // it would stand before every output
  return sc_core::sc_elab_and_sim(argc, argv);
}
