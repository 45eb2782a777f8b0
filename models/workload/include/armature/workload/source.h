#pragma once

#include "armature/core/block_address.h"
#include "armature/core/error.h"
#include "armature/core/request.h"
#include "armature/core/time.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::workload {

/// One host request. `sectors` counts 512 bytes, as `lbn` does.
struct Request {
  std::uint64_t id = 0;  ///< position in the stream, from 0
  Ps arrival = 0;        ///< when the host issues it
  Lbn lbn = 0;
  std::uint32_t sectors = 0;  ///< 1 to 65,536; 0 for a flush
  std::uint32_t device = 0;   ///< device number of the input, before remapping
  Operation operation = Operation::read;
  bool fua = false;           ///< forced unit access
  bool background = false;    ///< a read of the background priority (host::BlockCommand)
  Ps measured_response = -1;  ///< what the input says of the real drive; -1 if it says nothing
};

/// A stream of requests, in order of arrival. Readers hold a bounded part of their file in memory.
class Source {
 public:
  enum class Next {
    request,           ///< `request` is filled
    after_completion,  ///< closed loop: ask again when a request has completed
    end,
  };

  virtual ~Source() = default;

  /// The next request. Throws InputError with file and line for a broken input. `request` keeps its value unless the
  /// answer is `request`.
  virtual Next next(Request& request) = 0;
  /// A request completed at `at`. Open sources ignore it.
  virtual void completed(const Request& request, Ps at) {
    (void)request;
    (void)at;
  }
  /// A completion can bring, in a closed loop with random think times, an earlier arrival than that of the request
  /// which the host has fetched ahead and which has not arrived yet. After `completed`, a host that holds such a
  /// request asks with it; true if its arrival has become earlier (nothing else of it changes). Sources with fixed
  /// arrivals and those with one request in flight say false always.
  virtual bool revise(Request& ahead) {
    (void)ahead;
    return false;
  }
  /// False: there will never be one.
  virtual bool gives_requests() const { return true; }
  /// Number of requests to come in all if known, otherwise 0: for the progress bar.
  virtual std::uint64_t expected() const { return 0; }
  /// How far the input is read, 0 to 1, if it is a file; otherwise negative.
  virtual double fraction_read() const { return -1; }
  /// Requests left out because they lie outside the drive (`out_of_range = "drop"`), or because they neither read nor
  /// write nor flush (a trim).
  virtual std::uint64_t dropped() const { return 0; }
  /// How the input is read, for a person: its format and who named it, units, columns, and every guess. Empty
  /// if there is no input. Complete after the first request.
  virtual std::string reading() const { return {}; }
  /// Of those that `dropped` counts: what was asked for, where that is neither a read nor a write nor a flush.
  struct LeftOut {
    std::string what;  ///< "operation trim"
    std::uint64_t lines = 0;
  };
  virtual std::vector<LeftOut> left_out() const { return {}; }
  /// What the input calls a device, where it has names and no numbers; otherwise empty.
  virtual std::string device_name(std::uint32_t device) const {
    (void)device;
    return {};
  }
  /// Where in the input the last request stands; no file if it stands nowhere.
  virtual Place place() const { return {}; }
};

}  // namespace armature::workload
