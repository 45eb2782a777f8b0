#pragma once

#include "armature/core/energy.h"
#include "armature/core/probe.h"
#include "armature/core/time.h"
#include "armature/power/mode_shares.h"
#include "armature/power/power_history.h"
#include "armature/power/power_table.h"
#include "armature/power/source_role.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::power {

class JointHistory;

/// Every joule of one drive: a sink of its components' states that looks up their power in a table and sums the energy
/// by component, rail, operating mode and state. Powers are integer nanowatts and times integer picoseconds, so all
/// sums are exact, and the sums of the parts equal the total to the last digit.
///
/// docs/guide/energy.md defines the mode for which energy counts. States announced ahead count when their time has
/// come. A state entered before the kernel's time is a fatal error for components of the table, because peaks need time
/// order.
class Ledger final : public StateSink {
 public:
  struct Options {
    std::string drive;                                                  ///< first part of its components' paths
    std::vector<Ps> windows = {kPsPerMs, 10 * kPsPerMs, kPsPerSecond};  ///< of the rolling averages
    ProbeSink* probes = nullptr;                                        ///< power of all, of rails and components
  };

  /// @throws InputError if the table is wrong in itself
  Ledger(const PowerTable& table, const Options& options);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  static constexpr Id kNotMine = ~Id{0};
  /// kNotMine if neither the table nor the operating mode depends on it: its states are ignored. Fatal if the table
  /// names a state that the component does not have.
  Id declare(const StatefulComponent& component) override;
  void enter(Id id, unsigned state, Ps at) override;
  void enter_late(Id id, unsigned state, Ps at, Ps passed) override;
  /// kNotMine if the table does not name it.
  Id declare_level(const PowerLevelInfo& info) override;
  void level(Id id, Nanowatts power, Ps at) override;
  /// What is in the table, and what tells the operating mode.
  bool wants(const std::string& path) const override;
  /// The same at the time `present`, which must not run back.
  void enter(Id id, unsigned state, Ps at, Ps passed, Ps present);
  void level(Id id, Nanowatts power, Ps at, Ps present);

  /// What the drive has drawn from time 0 up to `present`, which must not run back.
  Zeptojoules drawn(Ps present);

  /// Energy by rail and operating mode, and time by mode.
  struct Sums {
    std::array<std::array<Shares, kModes>, kRails> energy{};
    std::array<Shares, kModes> time{};
  };
  /// From time 0 up to `present`, which must not run back; up to finish() once that was called.
  Sums sums(Ps present);

  /// By component, in the order of components(): from time 0 up to `present`, which must not run back; up to finish()
  /// once that was called.
  std::vector<Shares> drawn_by_component(Ps present);

  /// Reports what the drive draws to a history of several, in which it is drive `number`: when its power changes, and
  /// up to `present` when asked.
  void report_to(JointHistory& joint, std::size_t number);
  void report(Ps present);

  /// Counts up to `end`, the present. Call it once. States after that affect only later() and the waves.
  void finish(Ps end);
  /// After finish(): counts later() up to `end`, the present. Once.
  void run_on(Ps end);

  /// Paths of the table that no component has published.
  std::vector<std::string> unpublished() const;

  /// The drive may be in that mode: only drives with idle conditions know the last two.
  bool knows(Mode mode) const;

  // After finish(). A component by its number in components().
  const std::vector<std::string>& components() const { return components_; }
  Shares energy(std::size_t component, Rail rail, Mode mode) const;
  Shares energy(std::size_t component) const;
  Shares energy(Rail rail) const;
  Shares energy(Mode mode) const;
  Shares energy() const;
  /// What the drive drew between finish() and run_on(), in no other figure.
  Zeptojoules later() const { return later_; }
  /// The drive's time in a mode: with several arms at work at once, each one's equal share of it.
  Shares time(Mode mode) const;

  /// What the states of a published component drew for a component of the ledger; of a level the state "level".
  struct StateEnergy {
    std::string path;  ///< below the drive
    std::string state;
    std::size_t component;
    Rail rail;
    Ps time = 0;  ///< in that state
    Zeptojoules energy = 0;
  };
  std::vector<StateEnergy> states() const;

  const PowerHistory& history() const { return history_; }
  Ps end() const { return end_; }

 private:
  struct Level {
    std::uint32_t load;
    std::uint32_t slot;
    Nanowatts power;
  };
  /// A state of an account, or the part of it from one step of its loads to the next: its power is constant, so what is
  /// counted is time, and energy follows from it at the end of the run.
  struct Phase {
    Ps ends = -1;  ///< after the state was entered; -1: with the state
    std::vector<Level> levels;
    RailPower rails{};  ///< sums of them
    std::array<Shares, kModes> time{};
    Ps stay = 0;  ///< all of it
  };
  /// One entry of the table, once its component is published.
  struct Account {
    std::uint32_t source = 0;
    Share share = Share::common;
    unsigned number = 0;
    std::vector<Phase> phases;                ///< of all states
    std::vector<std::uint32_t> first_phases;  ///< by state
    std::uint32_t phase = 0;
    std::size_t group = 0;
    ModeShares::Weights counted{};  ///< the group's time up to which time is counted
    Ps since = 0;                   ///< the same as time
    Ps began = 0;                   ///< of the present state; what steps are counted from
    std::uint32_t visit = 0;
  };
  struct Source {
    StatefulComponent info;
    SourceRole role;
    std::vector<std::uint32_t> accounts;
    std::vector<Ps> times;  ///< by state
    unsigned state = 0;
    bool is_level = false;
    Nanowatts level = 0;  ///< with a supply
    Ps entered = 0;
    unsigned ahead = 0;  ///< its entries in pending_
  };
  struct Pending {
    enum class Kind : std::uint8_t { state, step, level };
    Ps at;
    std::uint32_t source;  ///< or account, of a step
    std::uint32_t state;   ///< or the account's visit, of a step
    Ps passed;
    Kind kind;
    Nanowatts power = 0;  ///< of a level
  };
  struct LoadInfo {
    std::uint32_t source;
    std::uint32_t state;
    std::uint32_t slot;
    std::vector<Step> steps;
    Ps time = 0;  ///< of the state; after finish(), as energy
    Zeptojoules energy = 0;
  };

  bool draws(const std::string& path) const;
  void add_account(std::uint32_t source, const ComponentPower& entry);
  std::vector<Phase> phases_of(const std::vector<std::uint32_t>& loads) const;
  std::uint32_t slot_of(const std::string& component, Rail rail) const;
  std::vector<Pending>::iterator end_of_later(Ps at);
  void insert(const Pending& pending);
  void forget_later(std::uint32_t source, Ps at);
  void drain(Ps until);
  void apply(std::uint32_t source, unsigned state, Ps at, Ps passed);
  void announce(const Pending& pending, Ps present);
  void change_level(std::uint32_t source, Nanowatts power, Ps at);
  void set_level(const Source& source, Nanowatts power, Ps at);
  void count_energy(Phase& phase);
  void operate(const Source& source, Ps at);
  void supply(bool on, Ps at);
  void draw(std::uint32_t account, unsigned state, Ps at);
  void settle(Account& account, Ps at);
  void keep_up(Ps present);
  void settle_all(Ps at);
  template <class Add>
  void each_energy(Ps present, const Add& add);
  void sum_up();
  void touch(Ps at);
  void regroup(Share share, unsigned number, Ps at);

  const PowerTable table_;
  const std::string prefix_;
  std::vector<std::string> components_;
  std::vector<Source> sources_;
  std::vector<Account> accounts_;
  std::vector<LoadInfo> loads_;

  ModeShares modes_;
  bool supplied_ = true;  ///< the drive: without a supply nothing draws
  Ps kept_up_ = 0;        ///< all accounts are settled at least up to then

  std::vector<Pending> pending_;  ///< the next one last
  Ps end_ = 0;
  bool finished_ = false;
  Zeptojoules later_ = 0;

  std::vector<Nanowatts> power_;                    ///< by slot: component * kRails + rail; kept for waves only
  std::vector<std::array<Shares, kModes>> energy_;  ///< by slot; after finish()
  RailPower rail_power_{};
  Ps power_since_ = 0;
  PowerHistory history_;
  JointHistory* joint_ = nullptr;
  std::size_t number_in_joint_ = 0;

  struct Waves;
  std::unique_ptr<Waves> waves_;
};

}  // namespace armature::power
