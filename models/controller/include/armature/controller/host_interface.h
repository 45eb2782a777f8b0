#pragma once

#include "armature/controller/buffer_memory.h"
#include "armature/controller/ring.h"
#include "armature/core/block_context.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/regs/hif.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"
#include "armature/sata/frame_endpoint.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace armature::controller {

/// The drive's end of the link: command FIFO, DMA between buffer RAM and link, completions. Registers:
/// rtl/regs/hif.rdl.
///
/// It takes no time of its own: it answers a frame or a register write in the same instant, and waits for the link.
/// Frames go out one at a time in this order of precedence: Register frames (acceptance of queued commands,
/// completions), Set Device Bits, the data phase under way. Completions that wait for the link share a Set Device Bits
/// frame. Host data that an unqueued write sends beyond the descriptor at work wait in a FIFO of one data frame for the
/// next one.
///
/// Reset: a device control frame with SRST set, or COMRESET on the link, drops commands, descriptors and the frames
/// that the link does not have yet, and raises intstat.reset. Commands that come before the signature are dropped;
/// firmware orders it, and it goes when SRST is clear. Not modelled: the signature after power-on (commands may come at
/// once and are stored).
///
/// Bound so: `bus.map(regs::soc::kHifBase, 0x1000).bind(hif.regs); hif.irq_read.bind(irq, FW_IRQ_HIF_READ);` and so on,
/// and the two link sockets to the link's drive side.
class HostInterface : public sc_core::sc_module, private sata::FrameReceiver, private sata::FrameSender {
 public:
  static constexpr unsigned kTags = 1024;
  static constexpr unsigned kCommandFifo = kTags + 1;  ///< a command more is answered with R_ERR
  static constexpr unsigned kDescriptors = 512;        ///< queued or done; more is link_error

  tlm_utils::simple_target_socket<RegisterBank> regs{"regs"};
  sata::FrameTargetSocket from_link{"from_link"};
  sata::FrameInitiatorSocket to_link{"to_link"};
  InterruptLine irq_read, irq_write, irq_other, irq_dma, irq_error;  ///< irq_error: link_error and reset

  /// `buffer` must outlive the block.
  HostInterface(sc_core::sc_module_name name, BufferMemory& buffer, const BlockContext& context);

 private:
  enum class Class : std::uint8_t { read, write, other };

  struct Command {
    std::uint64_t lba;
    std::uint32_t tag;
    std::uint32_t sectors;
    std::uint16_t features;
    std::uint16_t count;
    std::uint8_t code;
    std::uint8_t device;
    Class kind;
    bool queued;
    bool halted;
    bool fua;
    bool accounted;  ///< a host request: published to the request observer
  };
  struct Descriptor {
    std::uint32_t address;
    std::uint32_t offset_sectors;
    std::uint32_t sectors;
    std::uint32_t tag;
    bool to_host;
    bool queued;
    bool pio;
    bool accounted;
  };
  struct Completed {
    std::uint32_t tag;
    std::uint32_t sectors;
    bool to_host;
    bool error;
  };
  /// A Register frame to send.
  struct Message {
    sata::RegisterD2H registers;
    std::int32_t tag;
  };
  /// The data phase's next step.
  enum class Step : std::uint8_t { none, dma_setup, pio_setup, data_out, activate, data_in };
  /// What the frame on its way is, for when it has been delivered.
  enum class Sending : std::uint8_t { nothing, message, step, data, aborted };

  // From the link.
  bool receive(sata::Frame& frame) override;
  void sent(sata::Frame& frame) override;
  void link_reset() override;
  bool control_arrived(const sata::RegisterH2D& registers);
  void reset();
  bool command_arrived(const sata::Frame& frame);
  bool data_arrived(const sata::Frame& frame);

  // From firmware.
  bool reset_pending() const { return (intstat_ & regs::hif::intstat::Reset::kMask) != 0; }
  sata::RegisterD2H taskfile();
  void write_ctrl(std::uint32_t word);
  void pop_command();
  std::uint32_t command_word() const;
  void queue_descriptor(std::uint32_t word);
  std::uint32_t done_word() const;
  void pop_done();
  void complete(std::uint32_t word);
  void abort();

  void present(const Command& command);
  const Command* head() const;
  void end_unqueued();
  void pump();
  bool send_message();
  void send_step();
  void begin_descriptor();
  void data_moved(std::uint32_t bytes);
  void finish_descriptor(bool error);
  void refuse();
  void update_irqs();
  void send_frame(Sending what, std::int32_t tag);
  void show_dma();

  BufferMemory& buffer_;
  RequestObserver* const requests_;
  RegisterBank bank_;
  std::uint32_t& ctrl_;
  std::uint32_t& intstat_;
  std::uint32_t& inten_;

  // Commands.
  Ring<Command> stored_{kCommandFifo};  ///< arrived while disabled: neither presented nor accepted yet
  Ring<Command> commands_{kCommandFifo};
  std::bitset<kTags> active_;  ///< queued commands taken and not completed
  unsigned active_count_ = 0;
  bool unqueued_active_ = false;
  bool unqueued_accounted_ = false;  ///< the unqueued command is a host request

  // Data.
  Ring<Descriptor> descriptors_{kDescriptors};
  Ring<Completed> done_{kDescriptors};
  std::array<std::uint16_t, kTags> descriptors_of_tag_{};
  Descriptor current_{};
  Step step_ = Step::none;
  std::uint32_t moved_bytes_ = 0;  ///< of the current descriptor
  bool first_frame_ = false;       ///< the current descriptor's first frame has not been sent yet
  bool stray_data_due_ = false;    ///< a data frame asked for before an abort may still come
  std::array<std::uint8_t, sata::kMaxDataBytes> fifo_{};
  std::uint32_t fifo_bytes_ = 0;
  bool fifo_has_contents_ = false;

  // Frames to send.
  Ring<Message> registers_{std::size_t{2} * kCommandFifo};
  std::array<std::uint32_t, kTags / 32> completed_{};  ///< SActive bits to send, by bank
  std::uint32_t completed_banks_ = 0;
  bool failure_due_ = false;
  bool signature_due_ = false;
  sata::RegisterD2H signature_;
  bool srst_ = false;  ///< of the host's device control
  bool deaf_ = false;  ///< from a reset to the signature
  sata::SetDeviceBits failure_;
  sata::Frame frame_;  ///< the one on its way
  Sending sending_ = Sending::nothing;
  std::uint32_t sending_bytes_ = 0;
  unsigned attempts_ = 0;

  VectorProbe fifo_probe_;
  TextProbe dma_probe_;
  VectorProbe dma_tag_probe_;
};

}  // namespace armature::controller
