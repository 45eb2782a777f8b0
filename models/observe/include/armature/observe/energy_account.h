#pragma once

#include "armature/power/joint_history.h"
#include "armature/power/ledger.h"
#include "armature/thermal/drive_temperatures.h"

#include <array>
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
  std::optional<thermal::ThermalParams> thermal = std::nullopt;       ///< without them the drive has no temperatures
};

/// What was drawn from time 0 to `end`, by part, rail and operating mode: by a drive, whose parts are its components,
/// or by an array, whose parts are its drives.
struct EnergyFigures {
  struct Part {
    std::string name;
    std::array<std::array<power::Shares, power::kModes>, power::kRails> energy{};
  };
  std::vector<Part> parts;
  std::array<bool, power::kModes> knows{};          ///< the modes in which it can be
  std::array<power::Shares, power::kModes> time{};  ///< in each mode; of an array the mean of its drives
  Ps end = 0;
  const power::PowerHistory* history = nullptr;  ///< of the same time

  double joules() const;
  double joules(power::Rail rail) const;
  double joules(power::Mode mode) const;
  double watts() const;  ///< average over the time to `end`; 0 if there was none
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
  void level(Id id, Nanowatts power, Ps at) override;
  bool wants(const std::string& path) const override;

  /// Counts up to `end`; of what the drive does later only Ledger::later() knows. The first call counts.
  void finish(Ps end);
  /// After finish(): counts that up to the end of the whole run.
  void run_on(Ps end) { ledger_.run_on(end); }
  /// What the drive has drawn up to the kernel's time, rounded down.
  std::uint64_t microjoules();
  /// Temperature of the case at the kernel's time, C, at most a step old. Of a drive that has temperatures.
  double case_c();
  const power::Ledger& ledger() const { return ledger_; }
  power::Ledger& ledger() { return ledger_; }
  /// Null if the drive has no temperatures.
  const thermal::DriveTemperatures* temperatures() const { return temperatures_ ? &*temperatures_ : nullptr; }
  /// After finish().
  EnergyFigures figures() const;

 private:
  /// A component whose power depends on its temperature: what it draws more than the table says is a level.
  struct Warm {
    std::size_t component;  ///< of the ledger
    Id level;
    Nanowatts more = 0;
    double drawn_j = 0;  ///< up to the last step, with what it drew more
  };

  void follow_temperatures(Ps present, bool ends = false);
  void change_powers(const std::vector<power::Shares>& drawn, double seconds, Ps present);

  StateTimes& times_;
  power::Ledger ledger_;
  thermal::ThermalParams thermal_;
  std::vector<Warm> warm_;
  std::optional<thermal::DriveTemperatures> temperatures_;
  static constexpr Id kNone = ~Id{0};
  struct Ids {
    Id times = kNone;
    Id ledger = power::Ledger::kNotMine;
  };
  std::vector<Ids> ids_;
  bool finished_ = false;
  mutable std::set<std::string> asked_for_;
};

/// Energy of an array: what its drives draw together up to its own end. Afterwards they may go on for hours, to rebuild
/// a member or to write back what a cache holds: that is in the figures of the drives.
class ArrayEnergy {
 public:
  struct Drive {
    std::string name;
    EnergyAccount* account;  ///< must live until finish()
  };
  /// Before anything is simulated.
  /// @param windows  lengths of the rolling averages, ps
  ArrayEnergy(std::vector<Drive> drives, const std::vector<Ps>& windows);

  /// Counts up to `end`, the present. The first call counts; before finish() of the drives' accounts.
  void finish(Ps end);
  /// After finish().
  const EnergyFigures& figures() const { return figures_; }

 private:
  std::vector<Drive> drives_;
  power::JointHistory joint_;
  EnergyFigures figures_;
  bool finished_ = false;
};

/// energy.csv of a drive or an array: docs/guide/energy.md. @throws InputError if the file cannot be written
/// @param ledger  of the drive, for the rows by state; null for an array, which has none
void write_energy(const std::filesystem::path& file, const EnergyFigures& figures, const power::Ledger* ledger);

}  // namespace armature::observe
