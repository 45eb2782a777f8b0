#pragma once

#include "armature/host/command_slots.h"
#include "armature/sata/ata.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"

#include <array>
#include <cstdint>

namespace armature::host {

/// The data of a port's commands: what the drive may send, what it has asked for, and where they lie in the host. They
/// belong to the queued command that a DMA Setup frame has named, or to the unqueued command `busy` that is under way.
class PortData {
 public:
  static constexpr unsigned kNone = ~0u;  ///< no command

  explicit PortData(CommandSlots& slots) : slots_(slots) {}

  // Frames of the drive. False: such a frame has no place now, and changes nothing.
  bool open(const sata::DmaSetup& setup);
  bool ask(unsigned busy);
  /// Whether the command moves data by PIO, and so many.
  bool fits(const sata::PioSetup& setup, unsigned busy) const;
  bool open(const sata::PioSetup& setup, unsigned busy);
  enum class Taken : std::uint8_t { nonsense, dma, pio, pio_block };  ///< pio_block: all that PIO Setup announced
  Taken take(const sata::Frame& frame, unsigned busy);
  const sata::RegisterD2H& pio_end() const { return pio_end_; }  ///< registers after the data of PIO Setup

  /// The drive has asked for data that have not been sent.
  bool due() const { return due_ != kNone; }
  /// Makes the data frame that is due.
  void send(sata::Frame& frame);
  /// Of DMA Setup: not all of its data have moved.
  bool is_open() const { return phase_.open; }

  /// No data move for that queued command any more; for none of them; nor for the unqueued one.
  void close(unsigned tag);
  void close();
  void drop();
  /// PIO data that have not moved will not.
  void drop_pio() { pio_left_bytes_ = pio_due_bytes_ = 0; }

  /// What the last command of the port's own read, a page.
  const std::uint8_t* page() const { return page_.data(); }
  void set_data_frame(std::uint32_t bytes) { data_frame_bytes_ = bytes; }

 private:
  /// The data phase that a DMA Setup frame opened.
  struct Phase {
    bool open = false;
    bool to_host = false;
    unsigned tag = 0;
    std::uint32_t offset_bytes = 0;
    std::uint32_t left_bytes = 0;
  };
  void advance(std::uint32_t bytes);
  bool raw_unqueued(unsigned index) const { return index != kNone && slots_[index].raw && !slots_[index].queued(); }

  CommandSlots& slots_;
  Phase phase_;
  unsigned due_ = kNone;  ///< slot whose next data frame the drive has asked for
  std::uint32_t pio_left_bytes_ = 0;
  std::uint32_t pio_due_bytes_ = 0;  ///< of the data frame that PIO Setup has asked for
  sata::RegisterD2H pio_end_;
  std::uint32_t data_frame_bytes_ = sata::kMaxDataBytes;
  std::array<std::uint8_t, sata::kMaxDataBytes> raw_frame_{};  ///< data frame of a raw command
  std::array<std::uint8_t, sata::kPageBytes> page_{};
};

}  // namespace armature::host
