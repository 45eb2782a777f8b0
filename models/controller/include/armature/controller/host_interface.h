#pragma once

#include "armature/controller/buffer_memory.h"
#include "armature/core/block_address.h"
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
/// Frames go out one at a time in this order of precedence: Register frames (acceptance of queued commands,
/// completions), Set Device Bits, the data phase under way. Completions that wait for the link share a Set Device Bits
/// frame. Host data that a write sends beyond the descriptor at work wait in a FIFO of one data frame for the
/// next one, unless each descriptor of a queued write has a DMA Setup frame of its own (hif.dma_whole).
///
/// Reads are looked up in the buffer's segment table while firmware enables it (buf.lookup). A look-up begins at a
/// clock edge and takes `LookUpTiming::cycles`; commands after it wait, so that the FIFO keeps their order. The host
/// interface sends and completes a hit itself, without firmware and interrupts.
///
/// PIO data go in DRQ blocks (hif.pio). Data to the host are gathered for a block in the FIFO of a data frame, so that
/// a block does not depend on where descriptors end; the last block ends the command. A block from the host comes as
/// the data of an unqueued write do.
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
  static constexpr unsigned kDescriptors = 512;        ///< firmware's, queued or done; more is link_error

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
  enum class Class : std::uint8_t { read, write, other };

  struct Command {
    HostLba lba;
    std::uint32_t tag;
    std::uint32_t sectors;
    std::uint16_t features;
    std::uint16_t count;
    std::uint8_t code;
    std::uint8_t device;
    std::uint8_t limit;  ///< of its duration, an index; 0: none
    Class kind;
    bool queued;
    bool halted;
    bool fua;
    bool looked_up;  ///< a read that the segment table may answer
    bool accounted;  ///< a host request: published to the request observer
    bool broken;     ///< a hit that the host broke off
    Ps unpublished;  ///< when it arrived, if the observer has not been told; otherwise -1
  };
  struct Descriptor {
    Lbn lbn;  ///< of a hit
    std::uint32_t address;
    std::uint32_t first_bytes;      ///< of its data that lie there; the rest lies
    std::uint32_t wrapped_address;  ///< here
    std::uint32_t segment;          ///< of a hit
    std::uint32_t offset_sectors;
    std::uint32_t sectors;
    std::uint32_t tag;
    bool to_host;
    bool queued;
    std::uint32_t whole;  ///< sectors of its command, if one DMA Setup frame announces all of them
    bool pio;
    bool page;     ///< PIO data to the host that end the command: `dma_done` does not show it
    bool discard;  ///< its data stay here
    bool accounted;
    bool hit;  ///< hardware's own
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
  void receive_damaged(const sata::Frame& frame) override;
  void sent(sata::Frame& frame) override;
  void link_reset() override;
  bool control_arrived(const sata::RegisterH2D& registers);
  void reset();
  bool command_arrived(const sata::Frame& frame);
  bool data_arrived(const sata::Frame& frame);

  std::uint32_t past_word(unsigned word) const;

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

  void publish_arrival(Command& command);
  void accept(Command command);
  void present(const Command& command);
  bool to_look_up(const Command& command) const;
  void start_look_up();
  void look_up_over();
  bool answer(const Command& command);
  void hit_over(bool error);
  void end_queued(std::uint32_t tag);
  const Command* head() const;
  void end_unqueued();
  void pump();
  bool send_message();
  void send_step();
  std::uint32_t block_bytes() const;
  Step asks() const { return current_.pio ? Step::pio_setup : Step::activate; }
  bool next_descriptor();
  void gather();
  void block_sent();
  void begin_descriptor();
  void data_moved(std::uint32_t bytes);
  void finish_descriptor(bool error);
  bool all_moved(std::uint32_t tag);
  [[gnu::noinline, gnu::cold]] void wrong_order(const std::string& order);
  void refuse();
  void update_irqs();
  void send_frame(Sending what, std::int32_t tag);
  void show_dma();

  BufferMemory& buffer_;
  RequestObserver* const requests_;
  const LookUpTiming timing_;
  RegisterBank bank_;
  std::uint32_t& ctrl_;
  std::uint32_t& intstat_;
  std::uint32_t& inten_;
  std::uint32_t& pio_;

  /// A command as it came, for the error logs.
  struct Past {
    std::array<std::uint32_t, 7> dwords;
    Ps at;
  };
  std::array<Past, 5> past_{};
  std::uint64_t past_count_ = 0;

  // Commands.
  FixedRing<Command> stored_{kCommandFifo};    ///< arrived while disabled: neither presented nor accepted yet
  FixedRing<Command> look_ups_{kCommandFifo};  ///< a read that is looked up, and what came after it
  FixedRing<Command> commands_{std::size_t{kCommandFifo} + kTags};  ///< and hits that were broken off
  std::vector<Command> hits_;                                       ///< that are being sent, by tag
  sc_core::sc_event look_up_;
  std::bitset<kTags> active_;  ///< queued commands taken and not completed
  unsigned active_count_ = 0;
  bool unqueued_active_ = false;
  bool unqueued_accounted_ = false;  ///< the unqueued command is a host request

  // Data.
  FixedRing<Descriptor> descriptors_{std::size_t{kDescriptors} + kTags};
  unsigned ordered_ = 0;  ///< descriptors of firmware's that it has not popped
  FixedRing<Completed> done_{kDescriptors};
  std::array<std::uint16_t, kTags> descriptors_of_tag_{};
  std::array<std::uint32_t, kTags> owed_{};  ///< of the tag's media command: sectors that have not moved over the link
  Descriptor current_{};
  Step step_ = Step::none;
  std::uint32_t moved_bytes_ = 0;  ///< of the current descriptor
  bool first_frame_ = false;       ///< the current descriptor's first frame has not been sent yet
  std::uint32_t whole_left_ = 0;   ///< sectors of the announced command that have not moved
  std::uint32_t whole_tag_ = 0;
  std::uint32_t pio_left_ = 0;   ///< sectors of 512 bytes of the PIO command at work; 0: none, or a page
  bool pio_first_ = false;       ///< its first block has not been announced yet
  bool stray_data_due_ = false;  ///< a data frame asked for before an abort may still come
  std::array<std::uint8_t, sata::kMaxDataBytes> fifo_{};
  std::uint32_t fifo_bytes_ = 0;
  bool fifo_has_contents_ = false;

  // Frames to send.
  FixedRing<Message> registers_{std::size_t{2} * kCommandFifo};
  std::array<std::uint32_t, kTags / 32> completed_{};  ///< SActive bits to send, by bank
  std::uint32_t completed_banks_ = 0;
  bool failure_due_ = false;
  bool signature_due_ = false;
  sata::RegisterD2H signature_;
  bool srst_ = false;  ///< of the host's device control
  bool deaf_ = false;  ///< from a reset to the signature
  bool powered_ = true;
  sata::SetDeviceBits failure_;
  sata::Frame frame_;  ///< the one on its way
  Sending sending_ = Sending::nothing;
  std::uint32_t sending_bytes_ = 0;
  unsigned attempts_ = 0;

  VectorProbe fifo_probe_;
  TextProbe dma_probe_;
  VectorProbe dma_tag_probe_;
  VectorProbe hit_probe_;
};

}  // namespace armature::controller
