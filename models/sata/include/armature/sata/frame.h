#pragma once

#include <tlm>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace armature {
using Ps = std::int64_t;  // as core/time.h has it, which is not among the public headers
}

namespace armature::sata {

/// Frame types of Serial ATA (Frame Information Structures): first byte of the first dword.
enum class FrameType : std::uint8_t {
  register_h2d = 0x27,
  register_d2h = 0x34,
  dma_activate = 0x39,
  dma_setup = 0x41,
  data = 0x46,
  pio_setup = 0x5F,
  set_device_bits = 0xA1,
};

inline constexpr std::uint32_t kMaxDataBytes = 8192;  ///< of one data frame

/// The link, which has a data frame under way at the pace of a memory.
class PacedLink {
 public:
  /// DataPace::over answers otherwise than before.
  virtual void pace_changed() = 0;

 protected:
  ~PacedLink() = default;
};

/// A memory that data frames leave or enter, which may be slower than the line: then its side sends HOLD in the frame.
/// One frame at a time. Times in ps.
class DataPace {
 public:
  /// A frame's `bytes` begin to move at `begin` (now or later); the line alone takes `line_time` for them.
  virtual void start(PacedLink& link, Ps begin, Ps line_time, std::uint32_t bytes) = 0;
  /// When the frame's last byte has moved, as far as is known now; at `begin` + `line_time` or later.
  virtual Ps over() const = 0;
  /// The frame has arrived or is dropped.
  virtual void finish() = 0;

 protected:
  ~DataPace() = default;
};

/// One frame on the link: up to seven dwords of header, little-endian as on the wire, and for a data frame a view of
/// the sender's bytes (null when contents are not modelled; `data_bytes` counts all the same). One transaction a frame.
class Frame {
 public:
  FrameType type = FrameType::data;
  std::array<std::uint32_t, 7> dwords{};
  std::uint32_t data_bytes = 0;
  const std::uint8_t* data = nullptr;
  /// Tag of the request that the frame belongs to, for tracing and accounting only; -1 if none.
  std::int32_t trace_tag = -1;
  /// The sender does not need the time of R_OK: it gets END_REQ when the frame arrives, which saves the link a kernel
  /// event. The next frame does not start earlier.
  bool end_on_arrival = false;
  /// For a drive's data frame: the memory from which its data come. For a DMA Activate frame: the memory that receives
  /// the data that the host sends in answer. Null: as fast as the line.
  DataPace* pace = nullptr;
  /// Set by the link before END_REQ: TLM_OK_RESPONSE for R_OK, an error for R_ERR. A receiver that rejects a frame sets
  /// the error.
  tlm::tlm_response_status response = tlm::TLM_INCOMPLETE_RESPONSE;

  /// Set by the link: bits have changed on the way. The receiver sees a wrong CRC and answers R_ERR.
  bool damaged = false;

  /// Header dwords of this type of frame (a data frame has one).
  std::uint32_t header_dwords() const;
  /// Dwords between SOF and CRC.
  std::uint32_t payload_dwords() const { return header_dwords() + (data_bytes + 3) / 4; }

 private:
  friend class FramePool;
  Frame* next_free_ = nullptr;
};

inline std::uint32_t Frame::header_dwords() const {
  switch (type) {
    case FrameType::register_h2d:
    case FrameType::register_d2h:
    case FrameType::pio_setup:
      return 5;
    case FrameType::dma_setup:
      return 7;
    case FrameType::set_device_bits:
      return 2;
    case FrameType::dma_activate:
    case FrameType::data:
      break;
  }
  return 1;
}

/// Owns frames; a sender takes one and gives it back when the link says it has been delivered. No allocation in steady
/// state.
class FramePool {
 public:
  /// A cleared frame of `type` with the type byte set.
  Frame* acquire(FrameType type);
  void release(Frame* frame);
  std::size_t allocated() const { return frames_.size(); }

 private:
  std::vector<std::unique_ptr<Frame>> frames_;
  Frame* free_ = nullptr;
};

// NOLINTBEGIN(cert-err58-cpp): TLM's macro; a phase has no other form
DECLARE_EXTENDED_PHASE(comreset);
DECLARE_EXTENDED_PHASE(phy_off);
DECLARE_EXTENDED_PHASE(cominit);
DECLARE_EXTENDED_PHASE(pmreq);
// NOLINTEND(cert-err58-cpp)

// clang-format off
/// The link's own TLM protocol: a transaction is a Frame, phases are those of the base protocol with this meaning.
///
///   sender --fw BEGIN_REQ--> link      a frame waits to be sent (X_RDY); returns TLM_ACCEPTED. One at a time a sender.
///   link   --fw BEGIN_REQ--> receiver  the frame has arrived whole; returns TLM_COMPLETED (R_OK), or TLM_ACCEPTED
///                                      with the frame's response set to error (R_ERR)
///   link   --bw END_REQ--> sender      R_OK came back; the frame may be reused; the sender may send the next.
///
///   host --fw comreset--> link         out-of-band: frames under way or waiting are dropped, in both directions; the
///                                      sender owns its frame again and gets no END_REQ. The Frame means nothing.
///   link --fw comreset--> drive        the drive has detected it (its own frame is dropped as well)
///   link --bw comreset--> host         the link is up again
///
///   drive --fw phy_off--> link         the drive has lost its supply: frames are dropped as by comreset, and until
///   link --fw phy_off--> host          cominit nobody answers
///   drive --fw cominit--> link         its supply is back
///   link --fw cominit--> host          the host has detected it, and answers with comreset
///
///   host --fw pmreq--> link --> drive  Partial or Slumber is asked for on an idle link: TLM_COMPLETED is PMACK,
///                                      TLM_ACCEPTED PMNAK. It takes no time. The Frame means nothing.
///
// clang-format on
/// All calls are made at the kernel's present time with zero delay.
struct LinkProtocol {
  using tlm_payload_type = Frame;         // NOLINT(readability-identifier-naming): TLM's names
  using tlm_phase_type = tlm::tlm_phase;  // NOLINT(readability-identifier-naming)
};

using FrameForward = tlm::tlm_fw_transport_if<LinkProtocol>;
using FrameBackward = tlm::tlm_bw_transport_if<LinkProtocol>;
using FrameInitiatorSocket = tlm::tlm_initiator_socket<32, LinkProtocol>;
using FrameTargetSocket = tlm::tlm_target_socket<32, LinkProtocol>;

}  // namespace armature::sata
