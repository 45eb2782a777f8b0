#pragma once

#include "armature/core/block_address.h"
#include "armature/core/block_context.h"
#include "armature/core/time.h"
#include "armature/sata/frame.h"
#include "armature/sata/link_params.h"

#include <systemc>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

namespace armature::sata {

/// When things happen on the link, counted from the sender's first X_RDY. Exact dword times, each instant rounded up
/// once. The picture stands in docs/guide/link-and-host.md.
///
/// With a dword of 40 line bits, L the one-way latency and n = SOF + header and payload + CRC + EOF, plus two ALIGN
/// after each 254 of these (so 2 of 256 dwords sent are ALIGN):
///
///     X_RDY seen      1 dword      + L      the receiver answers R_RDY
///     frame arrived   (2 + n)      + 3 L    EOF is in
///     R_OK seen       (4 + n)      + 4 L    after WTRM and R_OK
///     sender's next   (5 + n)      + 4 L    after one SYNC
///     receiver's own  (5 + n)      + 5 L    when that SYNC is in
///
/// A drive of the parallel buses has a link that is slower for data: with bus_us_per_sector (and
/// bus_us_per_written_sector for data to the drive), the time of the data stands in place of the frame's n dwords where
/// it is longer.
class LinkTiming {
 public:
  /// Throws InputError for a rate that SATA does not have or a negative latency.
  explicit LinkTiming(const LinkParams& params);

  /// Duration of `count` dwords, rounded up, in ps.
  Ps dwords(std::int64_t count) const { return (count * dword_numerator_ + 2) / 3; }
  /// Dwords from SOF to EOF with ALIGN, for `payload_dwords` between SOF and CRC.
  static constexpr std::int64_t frame_dwords(std::int64_t payload_dwords) {
    const std::int64_t n = payload_dwords + 3;
    return n + 2 * (n / 254);
  }

  Ps xrdy_seen() const { return dwords(1) + latency_; }
  /// The times above, of one frame.
  struct FrameTimes {
    Ps arrival = 0, end = 0, next_from_sender = 0, next_from_receiver = 0;
  };
  // Times of a frame with `payload_dwords` between SOF and CRC and `data_bytes` of data. @param written  the data go to
  // the drive
  // Inlined, so that its four results are stored once: copying them just after they are written stalls the processor.
  [[gnu::always_inline]] FrameTimes times(std::uint32_t payload_dwords, std::uint32_t data_bytes, bool written) const {
    const std::int64_t n = frame_dwords(payload_dwords);
    const Ps data = data_time(data_bytes, written);
    const bool slower = data > 0 && data > dwords(n);  // than the line
    const auto span = [&](std::int64_t around) { return slower ? data + dwords(around) : dwords(around + n); };
    const Ps whole = span(5);
    return {span(2) + 3 * latency_, span(4) + 4 * latency_, whole + 4 * latency_, whole + 5 * latency_};
  }
  Ps arrival(std::uint32_t payload_dwords, std::uint32_t data_bytes = 0, bool written = false) const {
    return times(payload_dwords, data_bytes, written).arrival;
  }
  Ps end(std::uint32_t payload_dwords, std::uint32_t data_bytes = 0, bool written = false) const {
    return times(payload_dwords, data_bytes, written).end;
  }
  Ps next_from_sender(std::uint32_t payload_dwords, std::uint32_t data_bytes = 0, bool written = false) const {
    return times(payload_dwords, data_bytes, written).next_from_sender;
  }
  Ps next_from_receiver(std::uint32_t payload_dwords, std::uint32_t data_bytes = 0, bool written = false) const {
    return times(payload_dwords, data_bytes, written).next_from_receiver;
  }

  /// When a frame's first dword leaves the sender, and when it is at the receiver.
  Ps leaves() const { return dwords(2) + 2 * latency_; }
  Ps enters() const { return dwords(2) + 3 * latency_; }
  /// Time of the frame's n dwords on the line.
  Ps line_time(std::uint32_t payload_dwords, std::uint32_t data_bytes, bool written) const {
    return std::max(data_time(data_bytes, written), dwords(frame_dwords(payload_dwords)));
  }

  /// From the host's first COMRESET burst, in ps: until the drive has detected it, and until frames may go again.
  ///
  /// COMRESET and COMINIT are six bursts of 160 unit intervals of 1.5 Gb/s (106.7 ns), each followed by a pause of 480
  /// (320 ns): 2.56 us. COMWAKE has pauses of 160: 1.28 us. The two sides answer each other: COMRESET, COMINIT,
  /// COMWAKE, COMWAKE and ALIGN, ALIGN, three SYNC, each with the latency of one way.
  Ps comreset_seen() const { return kComreset + latency_; }
  /// From the drive's unsolicited COMINIT until the host has detected it, in ps.
  Ps cominit_seen() const { return kComreset + latency_; }
  Ps comreset_over() const { return 2 * kComreset + 2 * kComwake + dwords(1 + 1 + 3) + 6 * latency_; }

 private:
  /// Time of `data_bytes` on the slower bus, rounded up; at most 100 ms per sector and 8 KiB per frame.
  Ps data_time(std::uint32_t data_bytes, bool written) const {
    return (bus_sector_[written] * data_bytes + kSectorBytes - 1) / kSectorBytes;
  }

  static constexpr Ps kUnitIntervals1920 = 1'280'000;      ///< of 2,000 / 3 ps
  static constexpr Ps kComwake = kUnitIntervals1920;       ///< 6 * (160 + 160) unit intervals
  static constexpr Ps kComreset = 2 * kUnitIntervals1920;  ///< 6 * (160 + 480)
  std::int64_t dword_numerator_;  ///< one dword in thirds of a picosecond: 80,000 / 40,000 / 20,000
  Ps latency_;
  std::array<Ps, 2> bus_sector_;  ///< of 512 bytes on the slower bus, to the host and to the drive; 0: none
};

/// Half-duplex Serial ATA link between a host and a drive.
///
/// One frame at a time. A side that wants to send raises X_RDY; if both do before either has seen the other's, the host
/// backs off and the drive sends (Serial ATA's link layer: a host in HL_SendChkRdy that sees X_RDY turns to receiving).
/// After each frame the choice is made anew. One kernel event a frame, one more if the sender wants to know when R_OK
/// is back. COMRESET from the host drops everything and takes LinkTiming::comreset_over. A data frame whose memory is
/// slower than the line (Frame::pace) is held up by HOLD: everything after it is delayed by as much.
/// A drive without a supply (phy_off) answers nothing: frames are dropped, and a COMRESET finds nobody. Its COMINIT
/// when the supply is back is followed by the host's COMRESET. Not modelled: CONT and scrambling (no effect on time),
/// power states, time to lock onto the other side's clock.
class Link : public sc_core::sc_module, private PacedLink {
 public:
  FrameTargetSocket from_host{"from_host"};
  FrameInitiatorSocket to_host{"to_host"};
  FrameTargetSocket from_drive{"from_drive"};
  FrameInitiatorSocket to_drive{"to_drive"};

  struct Counters {
    std::uint64_t frames = 0;
    std::uint64_t data_bytes = 0;
    std::uint64_t collisions = 0;  ///< the host backed off
    std::uint64_t resets = 0;      ///< COMRESET
    std::uint64_t crc_errors = 0;  ///< frames that arrived damaged
  };

  Link(sc_core::sc_module_name name, const LinkParams& params, const BlockContext& context);
  ~Link() override;

  const LinkTiming& timing() const { return timing_; }
  const Counters& counters() const { return counters_; }
  /// Asked for each frame that arrives, if set: whether bits of it have changed on the way.
  std::function<bool(const Frame& frame, bool from_host)> damages;
  /// The least time from a frame's X_RDY to its arrival, in ps.
  Ps least_frame_time() const { return timing_.arrival(1); }

 private:
  enum Side : std::size_t { kHost, kDrive };
  /// `dark`: the drive has no supply. `present`: its COMINIT is on its way, or waits for the host's COMRESET.
  enum class Stage { idle, arriving, ending, bursts, negotiating, dark, present };
  class Port;

  void begin(Side side, Frame& frame);
  void arbitrate();
  void grant(Side side);
  void schedule(Ps at);
  void advance();
  void pace_changed() override;
  void start_pace();
  void finish_pace();
  void deliver();
  void finish();
  void reset();
  void drop_frames();
  void supply(bool on);
  void tell_host();
  void tell_drive();
  tlm::tlm_sync_enum ask_for_low_power();
  void restored();
  void trace_end();
  Ps earliest(Side side) const;
  FrameInitiatorSocket& towards(Side side) { return side == kHost ? to_host : to_drive; }
  FrameTargetSocket& from(Side side) { return side == kHost ? from_host : from_drive; }

  const LinkTiming timing_;
  std::array<std::unique_ptr<Port>, 2> ports_;
  Counters counters_;

  Stage stage_ = Stage::idle;
  Side sender_ = kHost;
  Frame* current_ = nullptr;
  Ps start_ = 0;                     ///< first X_RDY of the current frame
  LinkTiming::FrameTimes times_;     ///< of the current frame, from then on
  DataPace* pace_ = nullptr;         ///< of the current frame
  Ps pace_least_ = 0;                ///< when its data would have moved without HOLD
  Ps held_ = 0;                      ///< by HOLD
  DataPace* drive_pace_ = nullptr;   ///< of data that the host sends
  std::array<Frame*, 2> waiting_{};  ///< a side's frame that is not on the link yet
  std::array<Ps, 2> asked_{};        ///< when that frame came
  std::array<Ps, 2> free_{};         ///< a side's earliest X_RDY after the frame before
  Ps busy_until_ = 0;
  static constexpr Ps kNever = -1;
  Ps due_ = kNever;  ///< when `advance` has something to do
  sc_core::sc_event event_;
  sc_core::sc_event trace_event_;

  ComponentState state_;  ///< idle, busy: a frame waits or is on its way
  BitProbe busy_probe_;
  TextProbe frame_probe_;
  TextProbe direction_probe_;
  VectorProbe crc_probe_;
};

}  // namespace armature::sata
