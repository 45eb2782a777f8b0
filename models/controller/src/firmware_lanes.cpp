#include "firmware_lanes.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace armature::controller {

FirmwareLanes::FirmwareLanes(iss::Machine& machine, std::function<Ps()> instant, ProbeSink* probes,
                             const std::string& path)
    : machine_(machine), now_(std::move(instant)), symbols_(&iss::symbols_of(machine.image())) {
  function_.declare(probes, path + ".function", "function of the firmware's ELF at work");
  line_.declare(probes, path + ".pc", "source line of the instruction at work; its address if the line is unknown");
  if (traced()) machine.watch(*this);
}

/// Behind what was drawn last, if that is in the same instant.
void FirmwareLanes::go_on() {
  const Ps instant = now_();
  offset_ = instant == instant_ ? offset_ + 1 : 0;
  instant_ = instant;
}

void FirmwareLanes::instruction(iss::Machine&) {
  go_on();
  const std::uint32_t pc = machine_.hart().pc;
  const iss::Symbols::Function* const function = symbols_->function(pc);
  if (!shows_function_ || function != shown_function_) {
    shows_function_ = true;
    shown_function_ = function;
    function_.schedule(instant_ + offset_, function ? std::string_view(function->name) : std::string_view("?"));
  }
  if (!line_.traced() || (row_begin_ <= pc && pc < row_end_)) return;
  const iss::Symbols::Row* const row = symbols_->row(pc);
  row_begin_ = row ? row->begin : pc;
  row_end_ = row ? row->end : pc + 1;
  line_.schedule(instant_ + offset_, row ? symbols_->line_at(pc) : fmt::format("{:#010x}", pc));
}

void FirmwareLanes::ends() {
  if (!traced()) return;
  go_on();
  function_.schedule(instant_ + offset_, "");
  line_.schedule(instant_ + offset_, "");
  shows_function_ = false;
  row_begin_ = row_end_ = 0;
}

}  // namespace armature::controller
