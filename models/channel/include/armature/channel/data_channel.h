#pragma once

#include "armature/channel/access_plan.h"
#include "armature/channel/read_plan.h"
#include "armature/channel/read_process.h"
#include "armature/channel/read_registers.h"
#include "armature/channel/retry_ladder.h"
#include "armature/core/block_context.h"
#include "armature/core/fault_heard.h"
#include "armature/core/interrupt_registers.h"
#include "armature/media/contents.h"
#include "armature/media/geometry.h"
#include "armature/spindle/spindle.h"

#include <systemc>

#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace armature::channel {

/// Where an arm is: what a channel must know of the servo it works with.
class ArmPosition {
 public:
  virtual std::uint32_t cylinder() const = 0;       ///< of the selected head
  virtual std::uint32_t head() const = 0;           ///< surface of the selected head
  virtual std::uint32_t from_cylinder() const = 0;  ///< where this head was when the arm's last move began
  virtual bool on_track(bool write) const = 0;      ///< settled there, for writing if `write`
  /// How much later than in the layout a sector passes under the selected head, in 1/65,536 revolution: from the arm's
  /// mounting angle around the spindle and the head's place on the arm. 0 to 65,535.
  virtual std::uint32_t angle_ticks() const { return 0; }
  /// How many cylinders further in the selected head's reader, and so cylinder(), must be to write a cylinder.
  virtual std::int32_t writer_tracks(std::uint32_t /*cylinder*/) const { return 0; }
  /// How much later sectors of the cylinder pass under the writer than under the reader, in 1/65,536 revolution.
  virtual std::int32_t writer_ticks(std::uint32_t /*cylinder*/) const { return 0; }
  virtual spindle::Spindle& spindle() const = 0;  ///< of the stack that the arm is on
  /// Turns in which the heads that access surfaces at once transfer a track; more than 1 if they are not on track
  /// together.
  virtual unsigned passes(std::uint32_t /*cylinder*/, std::uint32_t /*head*/) const { return 1; }
  /// Expected time of the first wanted sector of the access for which the arm was sent, ps; 0: not known.
  virtual Ps expected() const { return 0; }
  /// It moved in the faster direction, and expected() assumes the slower: an earlier passage is as good.
  virtual bool sooner() const { return false; }
  /// It is off that track just now, too far to read, or to write if `write`, and may come back; see arm_strays().
  virtual bool strays(bool /*write*/) const { return false; }
  /// How far the selected head is from the middle of its track, in tracks, where a model of the servo knows it; asked
  /// for when an access starts. Without one the channel draws it for each read (channel.position_error_rms).
  virtual std::optional<double> position_error() const { return std::nullopt; }

 protected:
  ~ArmPosition() = default;
};

/// The channel's way into the buffer RAM.
class BufferPort {
 public:
  /// Sectors pass from `begin` (now or later) to `end`, and move between media and RAM at `bytes_per_second`.
  virtual void media_moves(Ps begin, Ps end, std::int64_t bytes_per_second) = 0;
  /// They already end at `end`.
  virtual void media_stops(Ps end) = 0;
  /// The bytes from `address` on, `count` of them; null if they lie outside the RAM.
  virtual std::uint8_t* bytes(std::uint32_t address, std::uint32_t count) = 0;
  /// These bytes go to the media: whether the RAM's protection says that they are right.
  virtual bool sound(std::uint32_t /*address*/, std::uint32_t /*count*/, std::int32_t /*tag*/) { return true; }
  /// These bytes have come from the media.
  virtual void written(std::uint32_t /*address*/, std::uint32_t /*count*/, std::int32_t /*tag*/) {}

 protected:
  ~BufferPort() = default;
};

/// The two ends of a channel. Contents are null when they are not modelled; the buffer, if there is one, is still
/// notified of the traffic.
struct DataPath {
  media::Contents* contents = nullptr;
  BufferPort* buffer = nullptr;
  /// Part of a physical sector up to the end of its sync mark, for waves; 0: 15 of 577 or of 4,211 bytes.
  double sync_share = 0;
  bool weak = false;  ///< reads may be weak: DataChannel::weak
};

/// Reads and writes the sectors of one track, one access at a time. Registers: rtl/regs/chn.rdl.
///
/// An access waits for the leading edge of its first sector, exact to the picosecond, and ends when the trailing edge
/// of its last one has passed; a `go` exactly at the edge is in time. A slipped sector between them passes too. Both
/// times are known at `go` (AccessPlan), so an access costs one kernel event, a mark in it another.
///
/// Read on arrival (mode.any_order): if the head is inside the run, the access begins with the first sector whose
/// leading edge is still to come and ends, a revolution later, with the one before it.
///
/// Extension (extend): during an access more sectors may be ordered after it, as room for them becomes free or their
/// data arrive. They pass without a pause, as if they had been ordered at `go`.
///
/// Free read (mode.free): the access begins with whichever of its sectors, up to the wanted one, comes under the head
/// first. If that is the wanted one, the head has just missed the others.
///
/// Punctual: if a sector is expected (ArmPosition::expected) later than half a turn after its next passage, that
/// passage is not used, because the arm has arrived sooner than predicted. Only by the first access that an expectation
/// is known to: later ones, on tracks behind it, are not what the arm was sent for. Not with `mode.any_order`, which
/// takes the sectors as they come, nor with a rotation scale below 1.
///
/// What-if: with a rotation scale below 1, an access's first sector comes after that fraction of the wait, and the
/// whole access with it, as if the disk had turned that much further. `power_off` uses the same times.
///
/// Reading as a process (ReadProcess, section `channel`): decoding of a physical sector starts channel.latency_us after
/// its trailing edge, one sector at a time. Arm and media are free when the last sector has passed; `done`, `mark` and
/// `progress` follow when it is decoded. A sector that cannot be read is read again with the next setting of the ladder
/// (ladder_ctrl) at its first passage after the failure is known: a revolution later. The sectors after it wait. At the
/// end of the ladder the access ends with cause 5, except that a read on arrival continues with the other sectors. All
/// of it is known at `go` (ReadPlan), so this too costs one event per access, not per sector.
///
/// Preamplifier: an access with another arm or head than the previous one begins channel.select_us after `go`, a read
/// not before channel.write_to_read_us after the end of a write.
///
/// Off track (ArmPosition::strays): an access during which the arm is too far from its track while a sector passes ends
/// at once with cause 6. Sectors that have passed are moved. A write has spoilt the sector under the head: the write
/// gate closed in its midst. Before the first sector an excursion does no harm if the arm is back in time.
///
/// A sector's contents move when its trailing edge has passed: reads appear in the buffer at the latest when `done` or
/// `mark` is raised or `progress` is read, writes take what the buffer holds when the access ends.
class DataChannel : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: any enabled bit of intstat

  /// Why an access failed: status.cause.
  enum class Cause : std::uint32_t { none, off_track, impossible, not_at_speed, busy, unreadable, strayed };

  /// `arms` by their number in ctrl.arm (1 to 8); all references must outlive the channel. rotation_scale: 0 to 1.
  DataChannel(sc_core::sc_module_name name, const media::Geometry& geometry, std::vector<const ArmPosition*> arms,
              const BlockContext& context, DataPath path = {}, double rotation_scale = 1,
              const ChannelParams& params = {});

  /// The supply fails: an access ends here. Sectors that a write has passed are on the media. The sector under the head
  /// becomes unreadable, except that a physical sector of several blocks is written to its end with the energy of
  /// capacitors and the turning stack: the drive must not harm blocks outside the write. Registers are as after a
  /// reset.
  void power_off();

  /// The arm has left its track, or is back: what ArmPosition::strays says has changed.
  void arm_strays(std::uint32_t arm);

  /// Until when it last had an access, now if one is under way; 0 if it had none.
  Ps last_at_work() const;

  /// The arm whose head the access under way uses, until its last sector has passed.
  std::optional<std::uint32_t> at_work_for() const {
    return busy_ && !media_end_cause_ ? std::optional(arm_) : std::nullopt;
  }

  /// The margin of reads of a place that a fault has made weak, and the fault.
  struct WeakRead {
    double margin_db;
    unsigned fault;
  };
  /// Asked for each read of a physical sector, if set: its first block's place, the arm, the head's surface, when it
  /// passes.
  std::function<std::optional<WeakRead>(media::PhysicalSector place, std::uint32_t arm, std::uint32_t head, Ps at)>
      weak;
  FaultHeard on_fault;
  /// Called with arm and tag when an access for a request begins.
  std::function<void(std::uint32_t arm, std::uint32_t tag)> on_go;
  /// Tag of the request that the access under way is for; -1: none.
  std::int32_t at_work_for_request() const { return busy_ && accounted_ ? static_cast<std::int32_t>(tag_) : -1; }
  /// The stack's speed is about to change: the access under way ends as if its arm had left the track.
  void lose_lock();

  using Counters = ReadCounters;
  const Counters& counters() const { return counters_; }

 private:
  enum State : unsigned { kIdle, kWait, kTransfer };
  static constexpr Ps kNever = std::numeric_limits<Ps>::max();
  /// A part of the access in buffer RAM.
  struct Piece {
    std::uint32_t address;
    std::uint32_t sectors;
    bool blank;
    bool drop;
  };
  static constexpr std::size_t kMaxPieces = 256;

  void start_of_simulation() override;
  void go(std::uint32_t ctrl);
  Cause check(std::uint64_t lba, std::uint32_t sectors, std::uint32_t arm, bool write, media::Location& first) const;
  Cause check_arm(std::uint32_t arm, bool write, std::uint32_t cylinder, std::uint32_t head) const;
  bool take_places(std::uint32_t sectors, bool gather);
  void drop_places(std::uint32_t sectors);
  Ps preamplifier_ready();
  void plan_access(std::uint64_t lba, std::uint32_t sectors, const media::Location& first, std::uint32_t mode);
  std::optional<std::uint32_t> mark_within(std::uint32_t word) const;
  void announce();
  std::uint32_t moved_at(Ps t) const;
  void set_mark(std::uint32_t word);
  void order_mark(Ps at);
  void cancel_mark();
  void extend(std::uint32_t sectors);
  bool take_extension(std::uint32_t sectors);
  void media_moves(Ps begin, Ps end);
  void end_at(Ps media_end, Ps done);
  void mark_reached();
  void stop();
  void push_piece(std::uint32_t word);
  std::uint32_t progress();
  std::uint32_t deliver(std::uint32_t moved);
  std::uint8_t* buffer_of(std::uint32_t sector, std::size_t& piece, std::uint32_t& piece_begin);
  bool transfer(std::uint32_t sector, const Piece& piece, std::uint32_t piece_begin, std::uint8_t* bytes);
  void account_done(Ps at);
  void access_done();
  void access_over();
  void break_off();
  void media_over();
  Cause check_end() const;
  void fail(Cause cause);
  Ps gate_opens() const;
  void gate_to_open() { strayed_.notify(sc_core::SC_ZERO_TIME); }
  void check_gate();
  void end_strayed();
  void read_failed(std::uint32_t block, Ps at, std::int32_t tag);

  // data_channel_read.cpp
  void load_ladder();
  bool plans() const;
  void plan_read(std::uint32_t wanted);
  void plan_codewords(std::uint32_t begin);
  ReadPlan::Pass plan_codeword(std::uint32_t codeword, const std::optional<double>& position_error);
  Ps turns_later(TrackAngle where, Ps passage_before, std::uint32_t turns) const;
  std::uint32_t unreadable_block(std::uint32_t codeword, Ps at) const;
  bool needed(std::uint32_t block) const;
  Ps ready_after(std::uint32_t moved) const;
  Ps passed_after(std::uint32_t moved) const;
  std::uint32_t turns_until(std::uint32_t moved) const;
  void publish_retries(std::size_t from);
  void keep_passes(std::size_t kept);
  void stop_planned();
  void count_reads();

  void bind_registers();
  void declare_probes(const BlockContext& context);

  // data_channel_trace.cpp
  void declare_traces(const BlockContext& context, const std::string& prefix);
  void trace_access();
  void trace_sectors(std::uint32_t from_codeword, std::size_t from_pass);
  void show_trace();

  /// Rotation of the stack under the access's arm; null while it is not at speed.
  const Rotation* rotation() const { return arms_[arm_]->spindle().rotation(); }

  const media::Geometry& geometry_;
  const std::vector<const ArmPosition*> arms_;
  RequestObserver* const requests_;
  bool keeps() const { return path_.contents && path_.contents->modelled(); }
  bool blanks() const;

  const DataPath path_;
  const std::uint32_t unit_;  ///< blocks of a physical sector
  const double rotation_scale_;
  const ReadProcess process_;
  const Ps latency_;
  const Ps iteration_;
  const Ps select_;
  const Ps write_to_read_;
  RegisterBank bank_;
  InterruptRegisters interrupt_;

  // The access under way.
  bool busy_ = false;
  Ps idle_since_ = 0;
  bool write_ = false;
  std::uint32_t tag_ = 0;
  std::uint32_t arm_ = 0;
  std::uint32_t cylinder_ = 0;
  std::uint32_t head_ = 0;
  bool accounted_ = false;                // to its tag, still
  bool stopped_ = false;                  // before its end
  AccessPlan access_;                     // until a stop: as ordered
  std::uint32_t delivered_ = 0;           // of a read: contents are in the buffer
  std::uint32_t moved_ = 0;               // of the last access
  Ps media_end_ = 0;                      // trailing edge of the last sector
  Ps mark_at_ = kNever;                   // the event of the mark is due
  Ps done_at_ = 0;                        // the last one is decoded
  ReadPlan plan_;                         // of a read, if it is more than passages
  std::optional<Cause> media_end_cause_;  // its sectors have passed; what came of it
  std::vector<Piece> pieces_;             // pushed for the next access
  std::vector<Piece> at_work_;            // of the access under way
  bool pieces_overflow_ = false;
  sc_core::sc_event done_;
  sc_core::sc_event mark_;
  sc_core::sc_event first_sector_;  // only when traced
  sc_core::sc_event gate_;          // only when its arm strays before the first sector
  sc_core::sc_event strayed_;       // a delta cycle after the arm strays or the gate opens
  sc_core::sc_event media_over_;    // only if `done` comes later

  RetryLadder ladder_;
  Ps retry_limit_ = 0;  // 0: none
  bool ladder_changed_ = false;
  Counters counters_;
  Counters before_power_on_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> selected_;  // arm and head of the last access
  std::vector<Ps> met_;                                              // of each arm: the last expectation, met or not
  Ps write_over_ = -1;                                               // end of the last write, -1: none

  ComponentState channel_;
  ComponentState writing_;  ///< on demand: on while a write's sectors pass
  TextProbe state_probe_;
  VectorProbe lba_probe_;
  VectorProbe tag_probe_;
  BitProbe gate_probe_;

  // What a sector shows, only when traced.
  struct TraceEvent {
    enum Kind : std::uint8_t { open, close, sector, sync, passed, decoded, retry };
    Ps at;
    Kind kind;
    std::uint64_t value;
  };
  bool traces_sectors_ = false;
  std::vector<TraceEvent> trace_;
  std::size_t traced_ = 0;
  sc_core::sc_event trace_next_;
  VectorProbe preamp_arm_probe_;
  VectorProbe preamp_head_probe_;
  BitProbe sync_probe_;
  VectorProbe sector_probe_;
  VectorProbe decoded_probe_;
  VectorProbe iterations_probe_;
  VectorProbe retry_probe_;
};

}  // namespace armature::channel
