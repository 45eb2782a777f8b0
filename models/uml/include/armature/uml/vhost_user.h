#pragma once

#include "armature/uml/guest_memory.h"
#include "armature/uml/socket.h"
#include "armature/uml/virtqueue.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace armature::uml {

/// A virtio device of the guest, served from this process: the back end of one vhost-user connection (the protocol's
/// text is QEMU's docs/interop/vhost-user.rst), as User-Mode Linux needs it: features, REPLY_ACK, BACKEND_REQ,
/// in-band notifications, one table of memory, split queues. Everything of a message is checked; what makes no sense
/// throws ProtocolError. A request that this back end does not know is answered as failed.
class VhostUser {
 public:
  class Device {
   public:
    /// The driver has made buffers of the queue available. The guest waits for the return.
    virtual void kicked(unsigned queue) = 0;

   protected:
    ~Device() = default;
  };

  /// @param queues  of the device
  VhostUser(Socket socket, unsigned queues, Device& device);

  int file() const { return socket_.get(); }
  /// Takes one message and answers it. False: the guest has closed the connection.
  bool serve(const Patience& patience);
  Virtqueue& queue(unsigned number) { return queues_[number]; }
  const GuestMemory& memory() const { return memory_; }

  /// Tells the driver that chains of the queue were given back, and returns when the guest has taken note of it.
  /// @param until_readable  waits until the file, on which the answer comes, can be read; it serves what else the
  ///                        guest needs to come so far
  void call(unsigned queue, const Patience& patience, const std::function<void(int)>& until_readable);

 private:
  struct Header {
    std::uint32_t request = 0;
    std::uint32_t flags = 0;
    std::uint32_t bytes = 0;
  };

  /// The answer of a request, if it has one by itself; otherwise whether it succeeded.
  std::optional<std::uint64_t> handle(const Header& header, const std::vector<std::uint8_t>& payload,
                                      std::vector<Descriptor>& files, bool& ok);
  void map_memory(const std::vector<std::uint8_t>& payload, const std::vector<Descriptor>& files);
  void reply(const Header& header, std::uint64_t value);
  Virtqueue& checked_queue(std::uint64_t number);

  Socket socket_;
  std::optional<Socket> requests_;  ///< of ours to the guest
  Device& device_;
  GuestMemory memory_;
  std::vector<Virtqueue> queues_;
};

}  // namespace armature::uml
