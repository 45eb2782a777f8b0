#pragma once

#include "armature/channel/read_process.h"
#include "armature/channel/read_registers.h"
#include "armature/controller/buffer_memory.h"
#include "armature/core/block_context.h"
#include "armature/core/fault_heard.h"
#include "armature/core/interrupt_registers.h"
#include "armature/core/kernel_time.h"
#include "armature/media/contents.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/tip_health.h"
#include "free_reader.h"
#include "sled.h"

#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace armature::mems {

/// A data channel through the tips of any one sled. Registers: rtl/regs/tip.rdl.
///
/// An access is a sequence of passes, one a row: the sled goes to the row in the direction that is reached sooner, and
/// the blocks of the row that have been ordered by then are read or written at the same time. What a pass has moved is
/// there at its end. A batch is an access of one pass: blocks of several tracks that lie under the tips together.
///
/// Reading as a process (channel::ReadProcess, section `channel`): a block is a codeword. The blocks of a pass are
/// decoded one after the other, channel.latency_us behind its end, while the sled goes on. What fails is read again
/// when the decoder is done with the row: the sled returns and passes over it with the next step of the ladder, and the
/// tips of the blocks that are missing read. Blocks count as moved in their order.
class TipArray : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;

  /// References must outlive it. `number`: of the channel. `sleds`: all of the store.
  TipArray(sc_core::sc_module_name name, unsigned number, const SledTimes& times, const TipHealth& health,
           std::vector<Sled*> sleds, media::Contents& contents, const channel::ChannelParams& params,
           const BlockContext& context);
  void bind(controller::BufferMemory& ram) { ram_ = &ram; }

  bool busy() const { return busy_; }
  /// Since power-on.
  const channel::ReadCounters& reads() const { return counters_; }
  Ps last_at_work() const { return busy_ ? now() : idle_since_; }
  void power_off();

  FaultHeard on_fault;
  /// An access to the sled has ended. May be empty.
  std::function<void(const Sled& sled)> on_end;
  /// Reads with the tips that a pass leaves unused. Must outlive it.
  void reads_free_with(FreeReader& reader) { free_ = &reader; }
  bool busy_with(const Sled& sled) const { return busy_ && sled_ == &sled; }

 private:
  /// Sectors of an access that lie together in the RAM, or that have no place there.
  struct Piece {
    std::uint32_t address, sectors;
    bool blank, drop;
    std::uint64_t lbn;  ///< of its first sector, in a batch
  };
  enum class Cause : std::uint32_t { none, off_track, impossible, not_at_speed, busy, unreadable };

  void go(std::uint32_t word);
  Cause check(std::uint64_t lbn, std::uint32_t sectors, std::uint32_t sled) const;
  bool take_pieces(std::uint32_t sectors, std::uint32_t mode);
  bool take_batch(std::uint64_t first);
  void push(std::uint32_t word);
  void extend(std::uint32_t sectors);
  void stop();
  void set_mark();
  void approach_next(Ps from);
  void begin_pass();
  void end_pass();
  void look_at_mark();
  void finish();
  void fail(Cause cause);
  void account_done();
  /// Sectors of the access whose request is accounted.
  std::uint32_t accounted_sectors();
  /// When so many sectors of the access have passed, if nothing else is ordered.
  Ps end_of(std::uint32_t sectors);
  /// Blocks of the access from its `first` on that one pass moves: of the same row, at most `most`.
  std::uint32_t in_row(std::uint32_t first, std::uint32_t most);
  std::uint64_t lba(std::uint32_t high, std::uint32_t low) { return std::uint64_t{bank_[high]} << 32 | bank_[low]; }
  std::uint8_t* buffer_of(std::uint32_t sector, const Piece** piece);
  const Piece* piece_of(std::uint32_t sector, std::uint32_t* within) const;
  bool transfer(std::uint32_t sector);
  void meet_defect(std::uint64_t lbn);
  /// Tag of the request that the access is for; -1: of none.
  std::int32_t request() const { return accounted_ ? static_cast<std::int32_t>(tag_) : -1; }
  void bind_registers();
  void catch_up();
  void begin_due();
  void end_due();
  void begin_free_reads();
  void media_moves(Ps begin, Ps end);
  std::uint64_t block(std::uint32_t sector) const { return batch_.empty() ? lbn_ + sector : batch_[sector]; }
  /// Where the sled goes for that sector: in a batch, where it goes for all.
  BlockPlace target(std::uint32_t sector) const { return layout_.locate(batch_.empty() ? lbn_ + sector : lbn_); }

  // tip_array_read.cpp
  /// The moved sectors are known to be so many at a time to come.
  struct Decoded {
    Ps at;
    std::uint32_t moved;
  };
  void break_off();
  void begin_reads();
  void end_read_pass();
  bool decode(std::uint32_t sector);
  bool retry_row();
  void give_up_row();
  void take_decoded();

  const unsigned number_;
  const Layout& layout_;
  const EquivalenceClasses classes_;
  const TipHealth& health_;
  const std::vector<Sled*> sleds_;
  Sled* sled_;  ///< of the access
  media::Contents& contents_;
  FreeReader* free_ = nullptr;
  std::vector<std::uint64_t> ridden_;  ///< blocks that the pass under way reads for nobody
  controller::BufferMemory* ram_ = nullptr;
  RequestObserver* const requests_;
  RegisterBank bank_;
  InterruptRegisters interrupt_;

  std::vector<Piece> pieces_, pushed_;
  std::vector<std::uint64_t>
      batch_;  ///< blocks that one pass moves, in the order of the pieces; empty: a run of blocks
  std::uint64_t lbn_ = 0;
  std::uint32_t sectors_ = 0, tag_ = 0;
  std::uint32_t passed_ = 0;  ///< sectors, from the first, over which tips need not pass again
  std::uint32_t moved_ = 0;   ///< of these, decoded
  bool write_ = false, busy_ = false, stopped_ = false, accounted_ = false, marked_ = false, any_order_ = false;
  bool unreadable_ = false;
  SledMotion::Approach way_;
  std::uint32_t pass_blocks_ = 0;  ///< of the pass under way; 0: there is none
  std::uint32_t row_end_ = 0;      ///< sectors up to the end of what is ordered of the row
  Ps pass_begin_ = 0;
  Ps idle_since_ = 0;
  /// An event of the tips, and when it was ordered for when. What is written to the registers at its instant comes
  /// behind it, whichever process the kernel runs first; what was written at the instant of its order comes before it.
  struct Due {
    static constexpr Ps kNotDue = -1;
    sc_core::sc_event event;
    Ps at = kNotDue;
    Ps ordered = kNotDue;
    void order(Ps when) {
      at = when;
      ordered = now();
      event.notify(to_sc_time(at - ordered));
    }
    void cancel() {
      event.cancel();
      at = kNotDue;
    }
    /// Whether it is now; then it is taken.
    bool take() {
      if (at != now()) return false;
      cancel();
      return true;
    }
    bool take_before_access() { return ordered < now() && take(); }
  };
  Due begin_, end_;
  sc_core::sc_event done_;

  // Reads that are more than passages.
  const channel::ReadProcess process_;
  const Ps latency_, iteration_;
  channel::RetryLadder ladder_;
  Ps retry_limit_ = 0;  ///< 0: none
  bool ladder_changed_ = false;
  channel::ReadCounters counters_;
  channel::ReadCounters before_power_on_;
  bool decodes_ = false;                         ///< the access under way is such a read
  bool again_ = false;                           ///< it has read a row again, or given up
  bool last_pass_over_ = false;                  ///< it ends when the decoder does
  std::uint32_t row_begin_ = 0;                  ///< sectors before the row
  std::vector<std::uint32_t> pending_;           ///< sectors of the row that the next pass reads
  std::vector<Ps> decoded_at_;                   ///< of the row's sectors; -1: it has not been read
  std::uint32_t row_retries_ = 0, retries_ = 0;  ///< passes so far; of the access
  std::optional<channel::RetryLadder::Retry> retry_;
  Ps first_failed_ = 0, decoder_free_ = 0;
  std::deque<Decoded> decoding_;
  sc_core::sc_event decoded_;

  ComponentState state_;
  TextProbe state_probe_;
  VectorProbe lba_probe_, tag_probe_, tips_probe_, row_probe_;
  BitProbe gate_probe_;
};

}  // namespace armature::mems
