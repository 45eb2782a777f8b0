#pragma once

namespace armature::app {

/// The whole program: run, check, describe, explain.
int command_line(int argc, char** argv);

}  // namespace armature::app
