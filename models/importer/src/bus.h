#pragma once

#include "block_reader.h"
#include "surroundings.h"

#include <string>

namespace armature::importer {

/// What buses and controllers between host and disk add to a disk's own times. All times in ms.
struct BusTimes {
  double read_ms = 0;   ///< of 512 bytes to the host: the slowest of them
  double write_ms = 0;  ///< and to the disk
  std::string read_source, write_source;
  double message_ms = 0;      ///< of a command or an answer: delays of the controllers that it passes
  double arbitration_ms = 0;  ///< until the bus is won
  double depth = 0;           ///< requests that a controller has at the disk at most; 0: no matter
  std::string depth_source;
  bool known = false;  ///< there is a bus or a controller
};

/// Reads all of their keys; what is not represented is reported.
BusTimes bus_times(const ParameterFile& file, const Surroundings& surroundings, Report& report);

}  // namespace armature::importer
