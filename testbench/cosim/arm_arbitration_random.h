#pragma once

#include "cosim/arm_arbitration_bench.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace armature::testing {

/// Random traffic on the unit's bus, most of it such as leads to decisions. State is kept from decision to decision;
/// now and then something is programmed anew, and every few thousand decisions everything after a reset.
class AauTraffic {
 public:
  AauTraffic(AauCosim& bench, unsigned seed) : bench_(bench), shape_(bench.shape()), random_(seed) {}

  /// Until that many decisions more have ended, or RTL and core differ.
  void run(std::uint64_t decisions);

  /// What happened, so that a test can say that it did.
  struct Seen {
    std::array<std::uint64_t, 8> grants_by_policy{};  ///< ctrl.policy as written
    std::array<std::uint64_t, 8> grants_by_arm{};
    std::array<std::uint64_t, 4> grants_by_head{};
    std::array<std::uint64_t, 9> grants_by_arms{};  ///< by how many arms were idle and in the mask
    std::uint64_t without_winner = 0;
    std::uint64_t abandoned = 0;
    std::uint64_t too_late = 0;
    std::uint64_t zero_estimates = 0;
    std::uint64_t ridden = 0;              ///< grants of a sled with slots that could ride along, read on the bus
    std::uint64_t far_heads = 0;           ///< grants to a head whose offset needs more than 16 bits
    std::uint64_t beside_masked_head = 0;  ///< grants of a surface on which the arm has a head that is masked
  };
  const Seen& seen() const { return seen_; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t cylinder();
  std::uint32_t angle();
  std::uint32_t ticks();

  void start_over();
  void program();
  void program_one(unsigned what);
  void program_table(unsigned arm_class);
  void program_arms(bool stacks);
  void program_heads();
  void program_masks();
  void program_channels();
  void start_sleds(AauPins& pins);
  void move_sled(arbiter::SledDeparture& sled);
  std::uint32_t length();
  void look_at_head(std::uint32_t grant);
  void step();
  void place_arm(unsigned arm, bool idle);
  void commit(unsigned slot);
  void any_write();
  void write(std::uint32_t offset, std::uint32_t word);
  void look();

  AauCosim& bench_;
  const arbiter::AauShape shape_;
  std::mt19937 random_;
  unsigned policy_ = 0;
  unsigned slots_used_ = 1, arms_used_ = 1, stacks_used_ = 1;
  std::uint32_t cylinders_ = 1, angles_ = 1;  ///< how many different ones
  std::int64_t turns_ = 1, leaves_ = 1;       ///< of sleds: what is below these
  bool plain_ = false;                        ///< no classes, no dependences
  std::vector<std::uint64_t> committed_;      ///< number of the slot's last commit
  std::uint64_t commits_ = 0;
  std::uint64_t decisions_seen_ = 0, grants_seen_ = 0;
  std::int64_t begins_ = -1;
  bool was_deciding_ = false;
  Seen seen_;
};

}  // namespace armature::testing
