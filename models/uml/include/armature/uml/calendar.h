#pragma once

#include "armature/uml/socket.h"

#include <cstdint>
#include <optional>

namespace armature::uml {

/// Simulated time of a User-Mode Linux: the other end of `time-travel=ext:` (include/uapi/linux/um_timetravel.h). The
/// guest computes in no time; it asks for the next instant at which it wants to run, waits, and is told to run.
///
/// Between two waits it may set its clock forward by itself up to, not including, the time of FREE_UNTIL: so the
/// calendar grants what lies before the devices' next event, and takes it back when an access has made an earlier one.
/// Times: ns since the guest was started.
class Calendar {
 public:
  class Time {
   public:
    /// Now; rounded up, because the guest must not be before an event that it hears of.
    virtual std::uint64_t now_ns() const = 0;
    /// The guest's clock is there: comes back when the devices are, too. Throws ProtocolError if that is not ahead.
    virtual void advance_to(std::uint64_t ns) = 0;

   protected:
    ~Time() = default;
  };

  struct Counters {
    std::uint64_t messages = 0;  ///< in both directions
    std::uint64_t runs = 0;
  };

  /// @param start_s  time of day at time 0, in seconds since 1970
  Calendar(Socket socket, Time& time, std::uint64_t start_s);

  int file() const { return socket_.get(); }
  /// Takes one message and answers it. False: the guest is gone.
  bool serve(const Patience& patience);

  bool waiting() const { return waiting_; }  ///< for `run`
  /// When it wants to run next; nothing: only after an interrupt.
  std::optional<std::uint64_t> request() const { return request_; }

  /// The clock of the waiting guest may be ahead of now by less than up to here.
  std::uint64_t granted_ns() const { return granted_; }

  /// The guest waits: it runs from now on. It may set its clock by itself before `free_until_ns`.
  void run(std::uint64_t free_until_ns);
  /// The guest runs, and waits for an answer of a device: it must not go so far any more, unless it must not anyway.
  void shorten(std::uint64_t free_until_ns, const Patience& patience);
  const Counters& counters() const { return counters_; }

 private:
  struct Message {
    std::uint32_t operation = 0;
    std::uint32_t sequence = 0;
    std::uint64_t time = 0;
  };

  void send(const Message& message);
  bool handle(const Message& message);

  Socket socket_;
  Time& time_;
  const std::uint64_t start_ns_;
  std::uint32_t sequence_ = 0;
  bool started_ = false;
  bool waiting_ = false;
  std::optional<std::uint64_t> request_;
  std::uint64_t granted_ = 0;  ///< 0: nothing
  Counters counters_;
};

}  // namespace armature::uml
