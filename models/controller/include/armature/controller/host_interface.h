#pragma once

#include "armature/controller/buffer_memory.h"
#include "armature/controller/link_dma.h"
#include "armature/controller/received_command.h"
#include "armature/controller/status_frames.h"
#include "armature/core/block_context.h"
#include "armature/core/clock_edges.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/core/ring.h"
#include "armature/core/time.h"
#include "armature/regs/hif.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"
#include "armature/sata/frame_endpoint.h"

#include <systemc>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace armature::controller {

/// Clock of the look-up in the segment table, and how many of its cycles one takes.
struct LookUpTiming {
  ClockEdges edges{2'500};
  std::int64_t cycles = 8;
};

/// The drive's end of the link: command FIFO, DMA between buffer RAM and link, completions. Registers:
/// rtl/regs/hif.rdl.
///
/// It takes no time of its own, except for the look-up of reads: it answers a frame or a register write in the same
/// instant, and waits for the link.
/// Frames go out one at a time: those of `StatusFrames` before the data phase under way (`LinkDma`).
///
/// Reads are looked up in the buffer's segment table while firmware enables it (buf.lookup). A look-up begins at a
/// clock edge and takes `LookUpTiming::cycles`; commands after it wait, so that the FIFO keeps their order. The host
/// interface sends and completes a hit itself, without firmware and interrupts.
///
/// Reset: a device control frame with SRST set, or COMRESET on the link, drops commands, descriptors and the frames
/// that the link does not have yet, and raises intstat.reset. Commands that come before the signature are dropped;
/// firmware orders it, and it goes when SRST is clear. Not modelled: the signature after power-on (commands may come at
/// once and are stored).
///
/// Bound so: `bus.map(regs::soc::kHifBase, 0x1000).bind(hif.regs); hif.irq_read.bind(irq, FW_IRQ_HIF_READ);` and so on,
/// and the two link sockets to the link's drive side.
class HostInterface : public sc_core::sc_module,
                      private sata::FrameReceiver,
                      private sata::FrameSender,
                      private LinkDma::Owner {
 public:
  static constexpr unsigned kTags = LinkDma::kTags;
  static constexpr unsigned kCommandFifo = kTags + 1;              ///< a command more is answered with R_ERR
  static constexpr unsigned kDescriptors = LinkDma::kDescriptors;  ///< more is link_error

  /// Called when firmware orders what cannot be done, with the order in words; `link_error` rises, too.
  std::function<void(const std::string& order)> on_wrong_order;

  RegisterSocket regs{"regs"};
  sata::FrameTargetSocket from_link{"from_link"};
  sata::FrameInitiatorSocket to_link{"to_link"};
  InterruptLine irq_read, irq_write, irq_other, irq_dma, irq_error;  ///< irq_error: link_error and reset

  /// `buffer` must outlive the block.
  HostInterface(sc_core::sc_module_name name, BufferMemory& buffer, const BlockContext& context,
                const LookUpTiming& look_up = {});

  /// The link dies in this instant; commands, descriptors and registers are lost.
  void power_off();
  /// COMINIT. Commands wait until firmware enables the block.
  void power_on();

 private:
  using Command = ReceivedCommand;
  using Descriptor = LinkDma::Descriptor;
  /// What the frame on its way is, for when it has been delivered.
  enum class Sending : std::uint8_t { nothing, message, step, data, aborted };

  // From the link.
  bool receive(sata::Frame& frame) override;
  void receive_damaged(const sata::Frame& frame) override;
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
  void queue_descriptor(std::uint32_t word);
  void pop_done();
  void complete(std::uint32_t word);
  void abort();

  void publish_arrival(Command& command);
  void accept(Command command);
  void present(const Command& command);
  bool to_look_up(const Command& command) const;
  void start_look_up();
  void look_up_over();
  bool answer(const Command& command);
  void hit_over(const Descriptor& descriptor, bool error);
  void end_queued(std::uint32_t tag);
  const Command* head() const;
  void end_unqueued();
  void pump();
  void look_at_owed(std::uint32_t tag);
  void descriptor_over(const Descriptor& descriptor, bool error) override;
  void pio_over() override;
  [[gnu::noinline, gnu::cold]] void wrong_order(const std::string& order);
  void refuse();
  void update_irqs();
  void send_frame(Sending what, bool memory);

  BufferMemory& buffer_;
  RequestObserver* const requests_;
  const LookUpTiming timing_;
  RegisterBank bank_;
  std::uint32_t& ctrl_;
  std::uint32_t& intstat_;
  std::uint32_t& inten_;
  std::uint32_t& pio_;

  // Commands.
  CommandLog past_;
  FixedRing<Command> stored_{kCommandFifo};    ///< arrived while disabled: neither presented nor accepted yet
  FixedRing<Command> look_ups_{kCommandFifo};  ///< a read that is looked up, and what came after it
  FixedRing<Command> commands_{std::size_t{kCommandFifo} + kTags};  ///< and hits that were broken off
  std::vector<Command> hits_;                                       ///< that are being sent, by tag
  sc_core::sc_event look_up_;
  std::bitset<kTags> active_;  ///< queued commands taken and not completed
  unsigned active_count_ = 0;
  bool unqueued_active_ = false;
  bool unqueued_accounted_ = false;  ///< the unqueued command is a host request

  // Frames to send.
  LinkDma dma_;
  StatusFrames status_{std::size_t{2} * kCommandFifo};
  bool srst_ = false;  ///< of the host's device control
  bool powered_ = true;
  sata::Frame frame_;  ///< the one on its way
  Sending sending_ = Sending::nothing;
  unsigned attempts_ = 0;

  VectorProbe fifo_probe_;
  VectorProbe hit_probe_;
};

}  // namespace armature::controller
