#pragma once

#include "armature/core/behind.h"
#include "armature/core/time.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_command.h"
#include "armature/host/host_queue.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::host {

/// How an order of the host has ended.
struct OrderAnswer {
  enum class End : std::uint8_t {
    ok,         ///< answered without an error; of what is no command: done
    error,      ///< ERR or DF in the status
    reset,      ///< a reset came before the answer
    lost,       ///< the drive lost its supply before the answer
    timed_out,  ///< no answer within its time
    unheard,    ///< sent although another was under way (`now`): whatever comes, it is not known to whom it belongs
  };
  End end = End::ok;
  Ps due = 0;        ///< when it was to be sent
  Ps sent = 0;       ///< when its frame was handed to the link
  Ps completed = 0;  ///< when the frame that ended it had arrived
  sata::RegisterD2H registers;
  int tag = -1;                  ///< of a queued one
  std::vector<std::uint8_t> in;  ///< data from the drive
};

std::string_view name_of(OrderAnswer::End end);  ///< "timed out"

/// Carries out the orders of a script or of `[[host.commands]]` by a host bus adapter, beside a queue with its load or
/// without one.
///
/// An order that is due waits until the one before it has been sent; one that names neither a time nor a request waits
/// until all before it have ended, or with `after = sent` only until they have been sent. A queued command needs a
/// free tag, an unqueued one that none of the others is under way. At one instant the queue's requests go first.
class CommandPlayer : public sc_core::sc_module, private RawClient {
 public:
  class Listener {
   public:
    virtual void order_sent(const HostOrder& order, std::uint64_t number, Ps at) = 0;
    virtual void order_ended(const HostOrder& order, std::uint64_t number, const OrderAnswer& answer) = 0;

   protected:
    ~Listener() = default;
  };
  /// The next order; nothing: there are no more. Called at the simulated time at which all before it have been sent.
  using Source = std::function<std::optional<HostOrder>()>;

  /// Called once, when the source has ended and all orders have.
  std::function<void()> on_finished;
  /// Turns the supply off or on. False: it is so already.
  std::function<bool(bool on)> on_power;

  /// @param queue  null: there is none
  /// @param tags   of the adapter
  CommandPlayer(sc_core::sc_module_name name, HostBusAdapter& adapter, unsigned tags, HostQueue* queue, Source source,
                Listener& listener);

  /// The source is asked only when all before it have ended: a person waits for the answer.
  void ask_when_idle() { ask_when_idle_ = true; }
  bool finished() const { return finished_; }
  /// An order will wait for this request. Before it completes.
  void expect_request(std::uint64_t id) { requests_.emplace(id, -1); }
  /// A request of the queue has completed: orders may wait for it.
  void request_completed(std::uint64_t id, Ps at);
  /// No more requests will come: an order that waits for one that there was not goes now.
  void load_ended();
  /// Whether the frames under this tag belong to a command of the player.
  bool owns(unsigned tag) const;
  /// One that waits, for a run without progress; empty: none.
  std::string diagnosis() const;

 private:
  struct Out {
    HostOrder order;
    std::uint64_t number;
    OrderAnswer answer;
    unsigned slot;
    bool lent;  ///< the tag is one of the queue's
    bool sent;
  };

  void raw_sent(unsigned slot, Ps at) override;
  void raw_ended(unsigned slot, const RawAnswer& answer, Ps at) override;
  void reset_over(Ps at) override;

  void step();
  void timeouts();
  bool take_next();
  std::optional<Ps> due() const;
  bool start();
  bool start_command();
  bool start_reset();
  std::optional<unsigned> free_tag(const HostOrder& order, bool& lent);
  void end(std::size_t index, OrderAnswer::End end, Ps at);
  void give_back(const Out& out);
  void ended_at(Ps at);

  HostBusAdapter& adapter_;
  const unsigned tags_;
  HostQueue* const queue_;
  const Source source_;
  Listener& listener_;

  std::optional<HostOrder> next_;
  std::uint64_t numbers_ = 0;
  std::vector<Out> out_;  ///< in the order in which they were started
  bool ask_when_idle_ = false;
  bool source_ended_ = false;
  bool finished_ = false;
  bool load_ended_ = false;
  Ps last_sent_ = 0, last_end_ = 0;
  std::map<std::uint64_t, Ps> requests_;  ///< that orders wait for, and when they completed; -1: not yet
  sc_core::sc_event step_;
  sc_core::sc_event timeout_;
  Behind order_{Behind::kHost};
};

}  // namespace armature::host
