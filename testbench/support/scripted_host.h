#pragma once

#include "armature/core/time.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace armature::testing {

/// A host that sends the frames it is told to and writes down what comes back, by `sata::describe`. It keeps no rules:
/// a test uses it to break them. What it can do by itself: answer DMA Activate, and PIO Setup for data to the drive,
/// with a Data frame.
class ScriptedHost : public sc_core::sc_module, private sata::FrameReceiver, private sata::FrameSender {
 public:
  sata::FrameInitiatorSocket to_link{"to_link"};
  sata::FrameTargetSocket from_link{"from_link"};

  struct Received {
    Ps at;
    sata::Frame frame;                ///< `data` is null; the bytes are in `bytes`
    std::vector<std::uint8_t> bytes;  ///< of a data frame
  };

  explicit ScriptedHost(sc_core::sc_module_name name);

  void send(const sata::RegisterH2D& command);
  /// Bytes of a Data frame; `bytes` may be shorter than `length`: then contents are not modelled.
  void send_data(std::vector<std::uint8_t> bytes, std::uint32_t length);

  // Commands.
  void read_queued(std::uint32_t tag, std::uint64_t lba, std::uint32_t sectors);
  void write_queued(std::uint32_t tag, std::uint64_t lba, std::uint32_t sectors, bool fua = false);
  void unqueued(sata::Command command, std::uint64_t lba, std::uint32_t count);

  /// Each DMA Activate is answered with min(8 KiB, what is left of these) bytes; a queued write's DMA Setup sets them.
  void data_to_send(std::uint32_t bytes) { to_send_ = bytes; }
  /// These come before the pattern, whatever the drive asks for.
  void bytes_to_send(const std::vector<std::uint8_t>& bytes) {
    given_.insert(given_.end(), bytes.begin(), bytes.end());
  }
  /// Answers frames of this type with R_ERR, `times` times.
  void reject(sata::FrameType type, unsigned times) {
    rejected_type_ = type;
    rejections_ = times;
  }
  void answer_activate(bool on) { answers_activate_ = on; }

  /// Byte `n` of all that the drive has asked for: no two sectors are alike.
  static std::uint8_t pattern(std::uint32_t n) { return static_cast<std::uint8_t>(n * 2'654'435'761u >> 24); }

  const std::vector<Received>& received() const { return received_; }
  /// All that came, one line a frame, as sata::describe says it.
  std::vector<std::string> log() const;
  void clear() { received_.clear(); }
  /// Bytes of the last data frames since `clear`, put together.
  std::vector<std::uint8_t> data() const;
  /// The last frame of a type; fails the test if there is none.
  const sata::Frame& last(sata::FrameType type) const;
  unsigned refused() const { return refused_; }  ///< own frames answered with R_ERR

 private:
  struct Outgoing {
    sata::Frame frame;
    std::vector<std::uint8_t> bytes;
  };

  bool receive(sata::Frame& frame) override;
  void sent(sata::Frame& frame) override;
  void pump();

  std::deque<Outgoing> queue_;
  bool sending_ = false;
  bool answers_activate_ = true;
  std::uint32_t to_send_ = 0;
  std::uint8_t next_byte();

  std::deque<std::uint8_t> given_;
  std::uint32_t next_byte_ = 0;
  sata::FrameType rejected_type_ = sata::FrameType::data;
  unsigned rejections_ = 0;
  unsigned refused_ = 0;
  std::vector<Received> received_;
};

}  // namespace armature::testing
