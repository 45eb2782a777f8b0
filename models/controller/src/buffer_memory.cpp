#include "armature/controller/buffer_memory.h"

#include "armature/regs/buf.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace armature::controller {

namespace buf = regs::buf;

BufferMemory::BufferMemory(sc_core::sc_module_name name, const BufferParams& params, const BlockContext& context)
    : sc_module(name),
      layout_(buf::layout::Sectors::set(buf::layout::Segments::set(0, static_cast<std::uint32_t>(params.segments)),
                                        params.segment_sectors())),
      lines_(params.lines()),
      bank_(buf::kTable),
      interrupt_(bank_, irq, buf::kIntstat, buf::kInten),
      bytes_(params.bytes()),
      table_(static_cast<std::uint32_t>(params.segments), params.segment_sectors()),
      bandwidth_(params.bytes_per_second()),
      protection_(params.protection) {
  upset_probe_.declare(context.probes, std::string(this->name()) + ".upsets", 16,
                       "Words of the RAM with bits that have changed and stand there");
  activity_.declare(context.states, this->name());
  describe();
  // clang-format off
  bank_.on_write(buf::kLookup,    [this](std::uint32_t word) {
    looks_up_ = buf::lookup::Enable::get(word) != 0;
    last_tag_ = buf::lookup::LastTag::get(word);
  });
  bank_.on_write(buf::kSegCommit, [this](std::uint32_t word) { commit(word); });
  bank_.on_read (buf::kSegReach,  [this] { return table_.reach(selected()); });
  bank_.on_write(buf::kSegReach,  [this](std::uint32_t word) { table_.set_reach(selected(), word); });
  bank_.on_read (buf::kSegStatus, [this] { return table_.status(selected()); });
  bank_.on_read (buf::kSegPin,    [this] { return table_.least_pinned(selected()); });
  bank_.on_write(buf::kTouch,     [this](std::uint32_t word) { table_.touch(buf::touch::Index::get(word)); });
  bank_.on_read (buf::kHits,      [this] { return table_.hits(); });
  // clang-format on
  regs.bind(bank_);
  ram.register_b_transport(this, &BufferMemory::b_transport);
  ram.register_transport_dbg(this, &BufferMemory::transport_dbg);
}

/// The registers that tell of the RAM.
void BufferMemory::describe() {
  bank_[buf::kSize] = bytes();
  bank_[buf::kLayout] = layout_;
  bank_[buf::kLines] = lines_;
}

void BufferMemory::power_off() {
  bytes_.clear();
  upsets_.clear();
  awaited_.clear();
  table_.clear();
  looks_up_ = false;
  last_tag_ = 0;
  bank_.reset();
  describe();
  activity_.link_moves(false);
  interrupt_.update();
}

std::uint32_t BufferMemory::selected() {
  return buf::seg::Index::get(bank_[buf::kSeg]);
}

void BufferMemory::commit(std::uint32_t word) {
  const Lbn lbn = std::uint64_t{bank_[buf::kSegLbaHi]} << 32 | bank_[buf::kSegLbaLo];
  if (buf::seg_commit::Valid::get(word))
    table_.commit(selected(), lbn, buf::seg_commit::Sectors::get(word), bank_[buf::kSegPlace]);
  else
    table_.withdraw(selected());
}

std::optional<SegmentTable::Hit> BufferMemory::look_up(Lbn lbn, std::uint32_t sectors) {
  return looks_up_ ? table_.take(lbn, sectors) : std::nullopt;
}

void BufferMemory::release(std::uint32_t segment, Lbn lbn) {
  table_.release(segment, lbn);
  interrupt_.raise(buf::intstat::Released::kMask);
}

void BufferMemory::upset(std::int64_t address, unsigned bits, std::uint64_t random, unsigned fault) {
  if (address < 0)
    awaited_.push_back({bits, fault, random});
  else
    flip(static_cast<std::uint32_t>(static_cast<std::uint64_t>(address) % bytes_.size()), bits, random, fault, -1);
}

void BufferMemory::flip(std::uint32_t address, unsigned bits, std::uint64_t random, unsigned fault, std::int32_t tag) {
  const auto place = static_cast<unsigned>(random >> 32) % (8 - bits + 1);
  const auto mask = static_cast<std::uint8_t>(((1u << bits) - 1u) << place);
  bytes_.data()[address] ^= mask;
  counted_.flipped += bits;
  upsets_.push_back({address, mask, fault});
  upset_probe_.set(upsets_.size());
  if (on_fault) on_fault(fault, tag);
}

/// What has been written over is right again; and what was to hit the next data hits these.
void BufferMemory::look_at_written(std::uint32_t address, std::uint32_t count, std::int32_t tag) {
  const auto over = [&](const Upset& upset) { return upset.address - address < count; };
  upsets_.erase(std::remove_if(upsets_.begin(), upsets_.end(), over), upsets_.end());
  if (count > 0) {
    for (const Awaited& one : awaited_)
      flip(address + static_cast<std::uint32_t>(one.random & 0xFFFF'FFFFu) % count, one.bits, one.random, one.fault,
           tag);
    awaited_.clear();
  }
  upset_probe_.set(upsets_.size());
}

/// ECC corrects one bit of a word of 8 bytes and tells of two; parity of a byte tells of an odd number.
bool BufferMemory::look_at_read(std::uint32_t address, std::uint32_t count, std::int32_t tag) {
  bool sound = true;
  for (std::size_t i = 0; i < upsets_.size();) {
    const Upset upset = upsets_[i++];
    if (upset.address - address >= count) continue;
    const auto bits = static_cast<unsigned>(__builtin_popcount(upset.mask));
    if (on_fault) on_fault(upset.fault, tag);
    if (protection_ == BufferParams::ecc && bits == 1) {
      bytes_.data()[upset.address] ^= upset.mask;
      upsets_.erase(upsets_.begin() + static_cast<std::ptrdiff_t>(--i));
      ++counted_.corrected;
    } else if ((protection_ == BufferParams::ecc && bits == 2) ||
               (protection_ == BufferParams::parity && bits % 2 == 1)) {
      ++counted_.detected;
      sound = false;
    } else {
      ++counted_.silent;
    }
  }
  upset_probe_.set(upsets_.size());
  return sound;
}

void BufferMemory::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  if (transaction.get_byte_enable_ptr())
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  else if (transaction.get_streaming_width() < transaction.get_data_length())
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  else if (transport_dbg(transaction) != transaction.get_data_length())
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  else
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned BufferMemory::transport_dbg(tlm::tlm_generic_payload& transaction) {
  const std::uint64_t begin = transaction.get_address();
  const std::size_t length = transaction.get_data_length();
  if (begin > bytes_.size() || length > bytes_.size() - begin) return 0;
  if (transaction.is_read())
    std::memcpy(transaction.get_data_ptr(), bytes_.data() + begin, length);
  else if (transaction.is_write())
    std::memcpy(bytes_.data() + begin, transaction.get_data_ptr(), length);
  if (transaction.is_write()) written(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(length), -1);
  return static_cast<unsigned>(length);
}

}  // namespace armature::controller
