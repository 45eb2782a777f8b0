#include "armature/app/command_line.h"
#include "armature/core/shuffle.h"

#include <systemc>

#include <cstdlib>

int sc_main(int argc, char** argv) {
  // Of tests: what is due at one instant comes in a random order, which must change no result
  // (docs/guide/random-scenarios.md).
  if (const char* const seed = std::getenv("ARMATURE_SHUFFLE"))
    if (!armature::shuffle_simultaneous_events(std::strtoull(seed, nullptr, 10))) return EXIT_FAILURE;
  return armature::app::command_line(argc, argv);
}

int main(int argc, char** argv) {
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", /*overwrite=*/1);  // it would stand before every output
  return sc_core::sc_elab_and_sim(argc, argv);
}
