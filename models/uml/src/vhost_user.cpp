#include "armature/uml/vhost_user.h"

#include <fmt/format.h>

#include <cstring>

namespace armature::uml {
namespace {

enum Request : std::uint32_t {  // VHOST_USER_...
  kGetFeatures = 1,
  kSetFeatures = 2,
  kSetOwner = 3,
  kSetMemTable = 5,
  kSetVringNum = 8,
  kSetVringAddr = 9,
  kSetVringBase = 10,
  kGetProtocolFeatures = 15,
  kSetProtocolFeatures = 16,
  kSetVringEnable = 18,
  kSetBackendReqFd = 21,
  kVringKick = 35,
};
constexpr std::uint32_t kBackendVringCall = 4;

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kVersionMask = 3;
constexpr std::uint32_t kReply = 1u << 2;
constexpr std::uint32_t kNeedReply = 1u << 3;
constexpr std::uint32_t kMostBytes = 4096;  // of a message; the longest in use has 264
constexpr std::uint64_t kMostRegions = 8;

constexpr std::uint64_t kFeatures = std::uint64_t{1} << 32 |         // VIRTIO_F_VERSION_1
                                    std::uint64_t{1} << 30;          // VHOST_USER_F_PROTOCOL_FEATURES
constexpr std::uint64_t kProtocolFeatures = std::uint64_t{1} << 3 |  // REPLY_ACK
                                            std::uint64_t{1} << 5 |  // BACKEND_REQ
                                            std::uint64_t{1} << 14;  // INBAND_NOTIFICATIONS

template <typename T>
T at(const std::vector<std::uint8_t>& payload, std::size_t offset) {
  T value{};
  if (offset + sizeof value > payload.size()) throw ProtocolError("a vhost-user message is too short");
  std::memcpy(&value, payload.data() + offset, sizeof value);
  return value;
}

}  // namespace

VhostUser::VhostUser(Socket socket, unsigned queues, Device& device)
    : socket_(std::move(socket)), device_(device), queues_(queues, Virtqueue(memory_)) {}

Virtqueue& VhostUser::checked_queue(std::uint64_t number) {
  if (number >= queues_.size()) throw ProtocolError(fmt::format("the device has no queue {}", number));
  return queues_[number];
}

bool VhostUser::serve(const Patience& patience) {
  Header header;
  std::vector<Descriptor> files;
  if (!socket_.read(&header, sizeof header, patience, &files)) return false;
  if ((header.flags & kVersionMask) != kVersion || (header.flags & kReply) != 0)
    throw ProtocolError(fmt::format("a vhost-user message with flags {:#x}", header.flags));
  if (header.bytes > kMostBytes) throw ProtocolError(fmt::format("a vhost-user message of {} bytes", header.bytes));
  std::vector<std::uint8_t> payload(header.bytes);
  if (!payload.empty() && !socket_.read(payload.data(), payload.size(), patience, &files))
    throw ProtocolError("a vhost-user message has ended in its midst");
  bool ok = true;
  if (const std::optional<std::uint64_t> answer = handle(header, payload, files, ok)) {
    reply(header, *answer);
  } else if (header.flags & kNeedReply) {
    reply(header, ok ? 0 : 1);
  }
  return true;
}

void VhostUser::reply(const Header& header, std::uint64_t value) {
  std::uint8_t message[sizeof(Header) + sizeof value];
  const Header answer{header.request, kVersion | kReply, sizeof value};
  std::memcpy(message, &answer, sizeof answer);
  std::memcpy(message + sizeof answer, &value, sizeof value);
  socket_.write(message, sizeof message);
}

std::optional<std::uint64_t> VhostUser::handle(const Header& header, const std::vector<std::uint8_t>& payload,
                                               std::vector<Descriptor>& files, bool& ok) {
  switch (header.request) {
    case kGetFeatures:
      return kFeatures;
    case kGetProtocolFeatures:
      return kProtocolFeatures;
    case kSetFeatures:
      ok = (at<std::uint64_t>(payload, 0) & ~kFeatures) == 0;
      break;
    case kSetProtocolFeatures:
      ok = (at<std::uint64_t>(payload, 0) & ~kProtocolFeatures) == 0;
      break;
    case kSetOwner:
      break;
    case kSetMemTable:
      map_memory(payload, files);
      break;
    case kSetVringNum:
      checked_queue(at<std::uint32_t>(payload, 0)).set_size(at<std::uint32_t>(payload, 4));
      break;
    case kSetVringAddr:  // index, flags, descriptors, used, available, log
      checked_queue(at<std::uint32_t>(payload, 0))
          .set_addresses(at<std::uint64_t>(payload, 8), at<std::uint64_t>(payload, 16), at<std::uint64_t>(payload, 24));
      break;
    case kSetVringBase:
      checked_queue(at<std::uint32_t>(payload, 0)).set_base(static_cast<std::uint16_t>(at<std::uint32_t>(payload, 4)));
      break;
    case kSetVringEnable:
      checked_queue(at<std::uint32_t>(payload, 0)).enable(at<std::uint32_t>(payload, 4) != 0);
      break;
    case kSetBackendReqFd:
      if (files.size() != 1) throw ProtocolError("a vhost-user message that brings a file has none");
      requests_.emplace(std::move(files.front()), "the device's requests");
      break;
    case kVringKick: {
      const auto number = at<std::uint32_t>(payload, 0);
      checked_queue(number);
      device_.kicked(number);
      break;
    }
    default:
      ok = false;
  }
  return std::nullopt;
}

void VhostUser::map_memory(const std::vector<std::uint8_t>& payload, const std::vector<Descriptor>& files) {
  const auto regions = at<std::uint32_t>(payload, 0);
  if (regions == 0 || regions > kMostRegions || files.size() != regions)
    throw ProtocolError(fmt::format("a table of {} regions of memory with {} files", regions, files.size()));
  memory_.clear();
  for (std::size_t i = 0; i < regions; ++i) {
    const std::size_t begin = 8 + 32 * i;
    memory_.map(files[i], {at<std::uint64_t>(payload, begin), at<std::uint64_t>(payload, begin + 8),
                           at<std::uint64_t>(payload, begin + 16), at<std::uint64_t>(payload, begin + 24)});
  }
}

void VhostUser::call(unsigned queue, const Patience& patience, const std::function<void(int)>& until_readable) {
  if (!requests_) throw ProtocolError("the guest has given no way to interrupt it");
  struct {
    Header header{kBackendVringCall, kVersion | kNeedReply, 8};
    std::uint32_t index = 0;
    std::uint32_t zero = 0;
  } message;
  static_assert(sizeof message == sizeof(Header) + 8);
  message.index = queue;
  requests_->write(&message, sizeof message);
  until_readable(requests_->get());
  Header header;
  std::uint64_t value = 0;
  if (!requests_->read(&header, sizeof header, patience) || header.bytes != sizeof value ||
      header.request != kBackendVringCall || !requests_->read(&value, sizeof value, patience))
    throw ProtocolError("an interrupt of the guest has no answer");
}

}  // namespace armature::uml
