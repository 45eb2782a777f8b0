#pragma once

#include "armature/core/probe.h"
#include "armature/core/time.h"
#include "armature/iss/machine.h"
#include "armature/iss/symbols.h"

#include <cstdint>
#include <functional>
#include <string>

namespace armature::controller {

/// Draws what a processor executes: its function and its source line, as they change. Instructions without a time of
/// their own are drawn one picosecond apart, from their handler's instant on.
class FirmwareLanes final : public iss::Watcher {
 public:
  /// @param instant  of the instruction that the machine is at
  /// @param path     the processor's
  FirmwareLanes(iss::Machine& machine, std::function<Ps()> instant, ProbeSink* probes, const std::string& path);

  bool traced() const { return function_.traced() || line_.traced(); }
  /// The machine has another image.
  void image_changed() { symbols_ = &iss::symbols_of(machine_.image()); }
  /// A call into firmware is over.
  void ends();
  /// How far behind their instant the present instruction is drawn.
  Ps offset() const { return offset_; }

  void instruction(iss::Machine& machine) override;

 private:
  void go_on();

  iss::Machine& machine_;
  const std::function<Ps()> now_;
  const iss::Symbols* symbols_;
  TextProbe function_;
  TextProbe line_;
  Ps instant_ = -1;
  Ps offset_ = 0;
  const iss::Symbols::Function* shown_function_ = nullptr;
  bool shows_function_ = false;
  std::uint32_t row_begin_ = 0, row_end_ = 0;  ///< addresses whose line is drawn
};

}  // namespace armature::controller
