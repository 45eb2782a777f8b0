#pragma once

#include "armature/core/block_address.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature::nbd {

class Session;

/// What a client asks of a disk. A reply is due for each.
struct Operation {
  enum class Kind : std::uint8_t { read, write, flush };

  Kind kind = Kind::read;
  bool fua = false;                ///< of a write: on the medium before the reply
  std::uint64_t offset = 0;        ///< first byte, a whole number of blocks
  std::uint32_t bytes = 0;         ///< a whole number of blocks; 0 for a flush
  std::uint64_t cookie = 0;        ///< the client's name for it
  std::vector<std::uint8_t> data;  ///< of a write; of a read, `bytes` to be filled before its end
  std::weak_ptr<Session> session;

  /// Sends the reply, unless the client has gone. `ok`: false tells the client EIO.
  void end(bool ok);
};

/// A disk that clients may choose: an export of the protocol.
class Disk {
 public:
  struct Description {
    std::string name;  ///< what clients ask for; the first disk has the empty name besides
    std::string text;  ///< for a person
    std::uint64_t bytes = 0;
    bool rotational = true;
    std::uint32_t block_bytes = kSectorBytes;  ///< offsets and lengths are multiples
  };

  virtual const Description& description() const = 0;
  /// Begins it. Its `end` comes later, in any order.
  virtual void begin(std::unique_ptr<Operation> operation) = 0;

 protected:
  ~Disk() = default;
};

/// The server's side of one connection of the NBD protocol, without its socket: bytes in, bytes out. Fixed newstyle
/// negotiation (EXPORT_NAME, LIST, INFO, GO, ABORT, STRUCTURED_REPLY, LIST and SET_META_CONTEXT with base:allocation),
/// then READ, WRITE, FLUSH, BLOCK_STATUS and DISC, with FUA and DF, with simple or structured replies. Source: "The NBD
/// protocol", doc/proto.md of the reference implementation.
///
/// A disk knows nothing of holes, so all of its blocks are "allocated". A request out of the disk's range, of no whole
/// blocks, longer than 32 MiB or with flags that were not offered gets an error reply and has no effect. Bytes that
/// are no request, and a write longer than 32 MiB, end the connection.
class Session : public std::enable_shared_from_this<Session> {
 public:
  static constexpr std::uint32_t kMostBytes = 32u << 20;  ///< of one request; the limit of an ATA command, too

  /// @param disks  at least one; they outlive the session
  explicit Session(std::vector<Disk*> disks);

  /// Bytes of the client.
  void take(std::string_view bytes);
  /// Bytes for the client, from the first that `sent` has not counted.
  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t bytes);
  /// False while the client should be left waiting: it has much outstanding, or takes no replies.
  bool wants_input() const;
  /// Nothing is read or sent any more: close the connection.
  bool over() const { return lost_ || (leaving_ && outstanding_ == 0 && output().empty()); }
  /// The client takes part no longer, or the server is about to end: operations to come get ESHUTDOWN.
  void shut_down() { shutting_down_ = true; }
  /// The client is gone.
  void lost();
  std::size_t outstanding() const { return outstanding_; }
  /// False while options are negotiated.
  bool transmits() const { return stage_ == Stage::request || stage_ == Stage::payload; }

 private:
  friend struct Operation;
  enum class Stage : std::uint8_t { client_flags, option, request, payload };
  struct Request {
    std::uint16_t flags = 0;
    std::uint16_t type = 0;
    std::uint64_t cookie = 0;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };

  bool step();
  bool take_flags();
  bool take_option();
  bool take_request();
  void take_payload();
  void on_option(std::uint32_t option, std::string_view data);
  void on_export_name(std::string_view name);
  void on_list(std::string_view data);
  void on_info(std::uint32_t option, std::string_view data);
  void on_meta_context(std::uint32_t option, std::string_view data);
  void on_request(const Request& request);
  void on_block_status(const Request& request);
  std::uint32_t refusal(const Request& request) const;
  void begin(const Request& request, std::vector<std::uint8_t> data);
  void option_reply(std::uint32_t option, std::uint32_t type, std::string_view data = {});
  void info(std::uint32_t option, std::string_view data);
  void error_reply(const Request& request, std::uint32_t error);
  void reply(const Operation& operation, bool ok);
  void chunk(std::uint64_t cookie, std::uint16_t type, std::string_view head, std::string_view data = {});
  void leave();
  Disk* disk_named(std::string_view name) const;
  std::uint16_t transmission_flags(const Disk::Description& disk) const;

  const std::vector<Disk*> disks_;
  Disk* disk_ = nullptr;  ///< chosen
  Stage stage_ = Stage::client_flags;
  bool no_zeroes_ = false;
  bool structured_ = false;
  bool allocation_ = false;  ///< base:allocation is negotiated
  bool leaving_ = false;     ///< takes nothing more
  bool lost_ = false;
  bool shutting_down_ = false;
  std::string input_;
  std::size_t used_ = 0;  ///< of `input_`
  std::string output_;
  std::size_t sent_ = 0;
  Request write_;                      ///< whose payload is awaited
  std::vector<std::uint8_t> payload_;  ///< of it, so far
  std::size_t outstanding_ = 0;
  std::uint64_t outstanding_bytes_ = 0;
};

}  // namespace armature::nbd
