#pragma once

#include "armature/controller/buffer_memory.h"
#include "armature/core/block_address.h"
#include "armature/core/block_context.h"
#include "armature/core/ring.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>

namespace armature::controller {

/// The host interface's DMA: moves data between buffer RAM and link as descriptors order it, one after the other, and
/// says which frame the data phase needs next.
///
/// Host data that a write sends beyond the descriptor at work wait in a FIFO of one data frame for the next one, unless
/// each descriptor of a queued write has a DMA Setup frame of its own (hif.dma_whole).
///
/// PIO data go in DRQ blocks (hif.pio). Data to the host are gathered for a block in the FIFO, so that a block does not
/// depend on where descriptors end; the last block ends the command. A block from the host comes as the data of an
/// unqueued write do.
class LinkDma {
 public:
  static constexpr unsigned kTags = 1024;
  static constexpr unsigned kDescriptors = 512;  ///< firmware's, queued or done

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

    std::uint32_t bytes() const { return sectors * kSectorBytes; }
  };

  class Owner {
   public:
    /// Its data have moved, or will not.
    virtual void descriptor_over(const Descriptor& descriptor, bool error) = 0;
    /// The last DRQ block to the host ended the command: the host has read in its PIO Setup frame that the drive is
    /// ready then.
    virtual void pio_over() = 0;

   protected:
    ~Owner() = default;
  };

  /// What the frame that comes next is.
  enum class Next : std::uint8_t {
    none,
    step,
    activate,  ///< a step that asks for data
    data,
    failed,  ///< the buffer's data are wrong: their descriptor is over
  };

  /// @param pio  register hif.pio
  LinkDma(Owner& owner, BufferMemory& buffer, const std::uint32_t& pio, RequestObserver* requests)
      : owner_(owner), buffer_(buffer), requests_(requests), pio_(pio) {}
  void declare_probes(ProbeSink* probes, const std::string& path);

  /// All of firmware's descriptors are in use.
  bool full() const { return ordered_ == kDescriptors; }
  /// Returns whether it is its tag's only one. Requires not full(), or a hit.
  bool add(const Descriptor& descriptor);
  std::uint32_t done_word() const;  ///< register hif.dma_done
  void pop_done();
  bool none_done() const { return done_.empty(); }

  /// The tag's media command moves so many sectors over the link.
  void owe(std::uint32_t tag, std::uint32_t sectors) { owed_[tag] = sectors; }
  /// Of these, sectors that have not moved. (With logical sectors of 4,096 bytes an eighth of them is owed at first:
  /// the block counts 512 bytes.)
  std::uint32_t owed(std::uint32_t tag) const { return owed_[tag]; }

  /// PIO data of so many sectors come next; 0: a page.
  void begin_pio(std::uint32_t sectors);
  void end_pio();
  /// Drops all. @param on_its_way  the link has the frame of the last step
  /// @param untagged  descriptors of tag 0 are published to the request observer
  void abort(bool on_its_way, bool untagged);
  void power_off() { pio_first_ = true; }

  /// Nothing to do until a descriptor or data come.
  bool rests() const { return step_ == Step::data_in || (step_ == Step::none && descriptors_.empty()); }
  /// Begins descriptors, and makes the data phase's next frame, with its trace tag.
  Next next_frame(sata::Frame& frame);
  void step_sent();
  void data_sent();
  /// The frame at work cannot be sent: its transfer is over.
  void fail() { finish(/*error=*/true); }

  bool takes_data() const { return step_ == Step::data_in; }
  /// False: the data fit nothing, their transfer is over. Requires takes_data().
  bool take(const sata::Frame& frame);
  /// Data that no step waits for may be those that were asked for before an abort: true, once.
  bool take_stray();
  void forget_stray() { stray_data_due_ = false; }

 private:
  enum class Step : std::uint8_t { none, dma_setup, pio_setup, data_out, activate, data_in };
  struct Completed {
    std::uint32_t tag;
    std::uint32_t sectors;
    bool to_host;
    bool error;
  };

  bool next_descriptor();
  void begin();
  void moved(std::uint32_t bytes);
  void finish(bool error);
  void build_step(sata::Frame& frame);
  bool build_data(sata::Frame& frame);
  std::uint32_t block_bytes() const;
  void gather();
  void block_sent();
  void show();

  Owner& owner_;
  BufferMemory& buffer_;
  RequestObserver* const requests_;
  const std::uint32_t& pio_;

  FixedRing<Descriptor> descriptors_{std::size_t{kDescriptors} + kTags};
  unsigned ordered_ = 0;  ///< descriptors of firmware's that it has not popped
  FixedRing<Completed> done_{kDescriptors};
  std::array<std::uint16_t, kTags> descriptors_of_tag_{};
  std::array<std::uint32_t, kTags> owed_{};
  Descriptor current_{};
  Step step_ = Step::none;
  std::uint32_t moved_bytes_ = 0;    ///< of the current descriptor
  std::uint32_t sending_bytes_ = 0;  ///< of the data frame on its way
  bool first_frame_ = false;         ///< the current descriptor's first frame has not been sent yet
  std::uint32_t whole_left_ = 0;     ///< sectors of the announced command that have not moved
  std::uint32_t whole_tag_ = 0;
  std::uint32_t pio_left_ = 0;   ///< sectors of 512 bytes of the PIO command at work; 0: none, or a page
  bool pio_first_ = false;       ///< its first block has not been announced yet
  bool stray_data_due_ = false;  ///< a data frame asked for before an abort may still come
  std::array<std::uint8_t, sata::kMaxDataBytes> fifo_{};
  std::uint32_t fifo_bytes_ = 0;
  bool fifo_has_contents_ = false;
  TextProbe dma_probe_;
  VectorProbe dma_tag_probe_;
};

}  // namespace armature::controller
