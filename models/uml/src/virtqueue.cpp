#include "armature/uml/virtqueue.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace armature::uml {
namespace {

constexpr std::uint16_t kNext = 1;  // VIRTQ_DESC_F_NEXT
constexpr std::uint16_t kWrite = 2;
constexpr std::uint32_t kMostEntries = 32'768;
constexpr std::uint64_t kDescriptorBytes = 16;

struct Descriptor16 {  // struct virtq_desc
  std::uint64_t address;
  std::uint32_t length;
  std::uint16_t flags;
  std::uint16_t next;
};
static_assert(sizeof(Descriptor16) == kDescriptorBytes);

std::uint16_t load16(const std::uint8_t* at) {
  std::uint16_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::uint32_t Virtqueue::Chain::in_bytes() const {
  std::uint32_t sum = 0;
  for (const Part& part : in) sum += part.count;
  return sum;
}

std::uint32_t Virtqueue::Chain::read(void* to, std::uint32_t count) const {
  std::uint32_t done = 0;
  for (const Part& part : out) {
    const std::uint32_t now = std::min(part.count, count - done);
    std::memcpy(static_cast<std::uint8_t*>(to) + done, part.bytes, now);
    done += now;
  }
  return done;
}

std::uint32_t Virtqueue::Chain::write(const void* from, std::uint32_t count) const {
  std::uint32_t done = 0;
  for (const Part& part : in) {
    const std::uint32_t now = std::min(part.count, count - done);
    std::memcpy(part.bytes, static_cast<const std::uint8_t*>(from) + done, now);
    done += now;
  }
  return done;
}

void Virtqueue::set_size(std::uint32_t entries) {
  if (entries == 0 || entries > kMostEntries || (entries & (entries - 1)) != 0)
    throw ProtocolError(fmt::format("a virtqueue of {} entries", entries));
  entries_ = entries;
}

void Virtqueue::set_addresses(std::uint64_t descriptors, std::uint64_t used, std::uint64_t available) {
  descriptors_ = descriptors;
  used_ = used;
  available_ = available;
}

std::uint8_t* Virtqueue::part(std::uint64_t address, std::uint64_t bytes) const {
  std::uint8_t* const at = entries_ > 0 ? memory_.at_user(address, bytes) : nullptr;
  if (!at) throw ProtocolError(fmt::format("a ring of a virtqueue at {:#x} is not in the guest's memory", address));
  return at;
}

std::optional<Virtqueue::Chain> Virtqueue::take() {
  if (!enabled_) return std::nullopt;
  const std::uint8_t* const available = part(available_, 6 + 2ull * entries_);
  const std::uint16_t index = load16(available + 2);
  if (index == next_) return std::nullopt;
  if (static_cast<std::uint16_t>(index - next_) > entries_)
    throw ProtocolError("a virtqueue has more available chains than entries");
  std::atomic_thread_fence(std::memory_order_acquire);  // the entry was written before the index
  Chain chain;
  chain.head = load16(available + 4 + 2ull * (next_ % entries_));
  ++next_;
  const std::uint8_t* const table = part(descriptors_, kDescriptorBytes * entries_);
  std::uint64_t bytes = 0;
  std::uint32_t at = chain.head;
  for (std::uint32_t links = 0;; ++links) {
    if (at >= entries_ || links >= entries_) throw ProtocolError("a chain of a virtqueue has no end");
    Descriptor16 one{};
    std::memcpy(&one, table + kDescriptorBytes * at, sizeof one);
    std::uint8_t* const memory = memory_.at(one.address, one.length);
    if (!memory)
      throw ProtocolError(
          fmt::format("a buffer of {} bytes at {:#x} is not in the guest's memory", one.length, one.address));
    bytes += one.length;
    if (bytes > 0xFFFF'FFFFu) throw ProtocolError("a chain of a virtqueue has 4 GiB and more");
    if (!(one.flags & kWrite) && !chain.in.empty())
      throw ProtocolError("a chain of a virtqueue has a buffer to read behind one to write");
    (one.flags & kWrite ? chain.in : chain.out).push_back({memory, one.length});
    if (!(one.flags & kNext)) return chain;
    at = one.next;
  }
}

void Virtqueue::give_back(const Chain& chain, std::uint32_t bytes) {
  std::uint8_t* const used = part(used_, 6 + 8ull * entries_);
  const std::uint16_t index = load16(used + 2);
  const std::uint32_t element[2] = {chain.head, bytes};
  std::memcpy(used + 4 + 8ull * (index % entries_), element, sizeof element);
  std::atomic_thread_fence(std::memory_order_release);
  const auto next = static_cast<std::uint16_t>(index + 1);
  std::memcpy(used + 2, &next, sizeof next);
}

}  // namespace armature::uml
