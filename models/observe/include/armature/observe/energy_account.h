#pragma once

#include "armature/power/ledger.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace armature::observe {

/// What an account of a drive's energy needs; a drive without a power table has none.
struct EnergyOptions {
  power::PowerTable table;
  std::vector<Ps> windows = {kPsPerMs, 10 * kPsPerMs, kPsPerSecond};  ///< of the rolling averages
};

class StateTimes;

/// Passes a drive's states on to the table of times, which all drives share, and to the drive's ledger. What is
/// published only because the ledger wants it stays out of that table.
class EnergyAccount final : public StateSink {
 public:
  /// Before the modules. @throws InputError if the table is wrong in itself
  EnergyAccount(const EnergyOptions& options, const std::string& drive, ProbeSink* probes, StateTimes& times);

  Id declare(const StatefulComponent& component) override;
  void enter(Id id, unsigned state, Ps at) override;
  void enter_late(Id id, unsigned state, Ps at, Ps passed) override;
  Id declare_level(const PowerLevelInfo& info) override { return ledger_.declare_level(info); }
  void level(Id id, Nanowatts power, Ps at) override { ledger_.level(id, power, at); }
  bool wants(const std::string& path) const override;

  /// Counts up to `end`; of what the drive does later only Ledger::later() knows. The first call counts.
  void finish(Ps end);
  /// After finish(): counts that up to the end of the whole run.
  void run_on(Ps end) { ledger_.run_on(end); }
  /// What the drive has drawn up to the kernel's time, rounded down.
  std::uint64_t microjoules();
  const power::Ledger& ledger() const { return ledger_; }

 private:
  StateTimes& times_;
  power::Ledger ledger_;
  static constexpr Id kNone = ~Id{0};
  struct Ids {
    Id times = kNone;
    Id ledger = power::Ledger::kNotMine;
  };
  std::vector<Ids> ids_;
  bool finished_ = false;
  mutable std::set<std::string> asked_for_;
};

/// energy.csv of a drive: docs/energy.md. @throws InputError if the file cannot be written
void write_energy(const std::filesystem::path& file, const power::Ledger& ledger);

}  // namespace armature::observe
