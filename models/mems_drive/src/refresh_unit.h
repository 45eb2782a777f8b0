#pragma once

#include "armature/channel/read_process.h"
#include "armature/core/block_context.h"
#include "armature/core/energy.h"
#include "armature/core/kernel_time.h"
#include "armature/media/contents.h"
#include "armature/mems/refresh_plan.h"
#include "armature/mems/tip_health.h"
#include "sled.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <vector>

namespace armature::mems {

/// Refreshes the rows of a sled by itself, without firmware (section `refresh`): the tips read up to refresh.rows rows,
/// turn round, and write them back. The sled's motion is known to the end of such a step from its beginning on, so that
/// the arbitration unit accounts for it; a request's seek begins when the step is over.
///
/// A step begins in idle time (no access for refresh.idle_ms), or, if a row would be late, at the end of an access. The
/// plan is RefreshPlan's. A row with a block whose read fails is read again, kTries times; blocks that cannot be read
/// stay as they are. If the supply fails, what the tips write is completed with stored energy, as a pass lasts a tenth
/// of a millisecond; a step that only reads is given up.
class RefreshUnit : public sc_core::sc_module {
 public:
  /// References must outlive it.
  RefreshUnit(sc_core::sc_module_name name, unsigned number, const MemsParams& params, const SledTimes& times,
              const TipHealth& health, Sled& sled, media::Contents& contents, const channel::ChannelParams& channel,
              const BlockContext& context);

  /// An access of tips to the sled is under way; must be set.
  std::function<bool()> tips_busy;
  /// The tips have ended an access to the sled.
  void sled_left();
  /// The sled has arrived or started: an access is about to begin, perhaps.
  void sled_arrived();
  void power_off();
  void power_on();

  struct Counts {
    std::uint64_t sectors = 0;     ///< written back
    std::uint64_t unreadable = 0;  ///< could not be read, and stayed as they were
    std::uint64_t rounds = 0;      ///< of all the sled's rows
    std::uint64_t steps = 0, forced = 0;
    Ps time = 0;    ///< of the sled
    Ps oldest = 0;  ///< longest time without a refresh of a row
  };
  Counts counts() const;

  /// Mean time of a row when rows follow each other, ps.
  static Ps row_time(const MemsParams& params, const SledTimes& times);
  /// Throws InputError that begins with the key if the period is too short.
  static void check(const MemsParams& params, const SledTimes& times);

 private:
  struct Block {
    std::uint64_t lbn;
    std::uint8_t bytes[512];
  };
  static constexpr unsigned kTries = 16;

  void consider();
  void begin(bool forced);
  void rows_read();
  void step_over();
  BlockPlace row(std::uint64_t number) const;
  std::uint64_t first_block(std::uint64_t row) const;
  bool read(std::uint64_t lbn);

  const unsigned number_;
  const Layout& layout_;
  const TipHealth& health_;
  Sled& sled_;
  media::Contents& contents_;
  const channel::ReadProcess process_;
  const Ps idle_;
  const std::uint64_t most_rows_;
  const Ps step_time_;  ///< of as many rows
  RefreshPlan plan_;
  Counts counts_;
  bool powered_ = true, under_way_ = false, fails_ = false;
  unsigned tries_ = 0;
  std::uint64_t rows_ = 0;  ///< of the step under way
  std::vector<Block> blocks_;
  Ps idle_since_ = 0;
  sc_core::sc_event wake_, read_, over_;
  ComponentState state_;
};

}  // namespace armature::mems
