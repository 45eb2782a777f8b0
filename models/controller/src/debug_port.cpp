#include "armature/controller/debug_port.h"

#include "armature/core/kernel_time.h"
#include "armature/firmware/fw_abi.h"
#include "armature/regs/dbg.h"

namespace armature::controller {
namespace {

namespace dbg = regs::dbg;

constexpr const char* kStateNames[] = {
#define FW_STATE_NAME(symbol, name) name,
    FW_STATES(FW_STATE_NAME)
#undef FW_STATE_NAME
};

constexpr Ps kNotPredicted = -1;
constexpr std::size_t kLongestLine = 200;  // a console without a newline must not grow without end

}  // namespace

DebugPort::DebugPort(sc_core::sc_module_name name, const BlockContext& context)
    : sc_module(name), requests_(context.requests), bank_(dbg::kTable) {
  // clang-format off
  bank_.on_write(dbg::kPutc,  [this](std::uint32_t word) { put(word); });
  bank_.on_write(dbg::kState, [this](std::uint32_t word) { show(word); });
  bank_.on_write(dbg::kWait,  [this](std::uint32_t word) { account(word); });
  bank_.on_write(dbg::kArm,   [this](std::uint32_t word) { give_arm(word); });
  bank_.on_write(dbg::kFatal, [this](std::uint32_t line) { fail(line); });
  bank_.on_write_array(dbg::kCounter, [this](unsigned number, std::uint32_t value) { counters_[number] = value; });
  // clang-format on
  regs.bind(bank_);
  const std::string path = this->name();
  state_probe_.declare(context.probes, path + ".state", "last thing that firmware did");
  tag_probe_.declare(context.probes, path + ".tag", 10, "tag of the request that it was for");
  line_.reserve(kLongestLine);
}

const char* DebugPort::state_name() const {
  return state_ < FW_STATE_COUNT ? kStateNames[state_] : "unknown";
}

void DebugPort::power_off() {
  bank_.reset();
  line_.clear();
  counters_ = {};
  waits_for_sector_.reset();
  state_ = 0;
  tag_probe_.set(std::uint64_t{0});
  state_probe_.set("off");
}

void DebugPort::put(std::uint32_t word) {
  const char character = static_cast<char>(dbg::putc::Character::get(word));
  if (character != '\n') line_ += character;
  if (character != '\n' && line_.size() < kLongestLine) return;
  SC_REPORT_INFO("firmware", (std::string(name()) + ": " + line_).c_str());
  line_.clear();
}

void DebugPort::show(std::uint32_t word) {
  last_state_ = state_name();
  state_ = dbg::state::State::get(word);
  if (state_probe_.traced()) state_probe_.set(state_name());
  tag_probe_.set(dbg::state::Tag::get(word));
}

void DebugPort::account(std::uint32_t word) {
  if (!requests_) return;
  static constexpr Phase kPhaseOf[] = {Phase::firmware,     Phase::buffer_fill, Phase::write_back,
                                       Phase::channel_wait, Phase::rotation,    Phase::drive_queue};
  constexpr std::uint32_t kOver = 0, kChannel = 3, kSector = 4;
  const std::uint32_t tag = dbg::wait::Tag::get(word), reason = dbg::wait::Reason::get(word);
  if (reason == kSector) {
    if (waits_for_sector_[tag]) requests_->media_done(tag, now());  // that of before a reset, perhaps
    requests_->media(tag, Phase::rotation, now());
    waits_for_sector_[tag] = true;
    return;
  }
  if (reason >= std::size(kPhaseOf)) return;
  if ((reason == kOver || reason == kChannel) && waits_for_sector_[tag]) {
    requests_->media_done(tag, now());
    waits_for_sector_[tag] = false;
  }
  requests_->base(tag, kPhaseOf[reason], now());
}

void DebugPort::give_arm(std::uint32_t word) {
  if (!requests_) return;
  const std::uint32_t tag = dbg::arm::Tag::get(word);
  requests_->base(tag, Phase::firmware, now());
  requests_->granted(tag, dbg::arm::Arm::get(word), kNotPredicted, now());
}

void DebugPort::fail(std::uint32_t line) {
  failed_ = true;
  failed_line_ = line;
  failed_at_ = now();
  failed_state_ = state_ == FW_STATE_STOPPED ? last_state_ : state_name();
  SC_REPORT_WARNING("firmware", (std::string(name()) + ": stopped in an impossible state, line " +
                                 std::to_string(line) + ", state " + failed_state_)
                                    .c_str());
  if (on_failed) on_failed(line);
}

}  // namespace armature::controller
