#pragma once

#include "armature/core/block_context.h"
#include "armature/core/fault_heard.h"
#include "armature/core/random.h"
#include "armature/core/time.h"
#include "armature/drive/fault_params.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace armature::drive {

/// Carries out the faults of one drive: knows when each begins and ends, tells the blocks in which it is at work, and
/// hears from them which requests it has touched. The host side says which requests it sends and which have ended.
class FaultInjector : public sc_core::sc_module {
 public:
  /// A fault begins or ends; `number` is its place among the drive's faults.
  using Change = std::function<void(unsigned number, const FaultParams& fault, bool begins, std::uint64_t random)>;

  FaultInjector(sc_core::sc_module_name name, std::vector<FaultParams> faults, const BlockContext& context);

  void request_sent(std::uint64_t id, std::uint64_t lbn, std::uint32_t sectors);
  void request_ended(std::uint64_t id);
  /// A block says that the fault has touched the request under `tag`.
  void touched(unsigned number, std::int32_t tag);

  const std::vector<FaultParams>& faults() const { return faults_; }
  bool at_work(unsigned number) const { return states_[number].at_work; }
  bool any_at_work() const { return at_work_ > 0; }
  std::uint64_t begun() const { return begun_; }  ///< times that one of them has begun

  Change carry_out;       ///< in the blocks of the drive
  Change on_change;       ///< for the host side: link, supply, and the record of the run
  FaultHeard on_touched;  ///< for that record

 private:
  struct State {
    bool sent = false, ended = false, accessed = false;  ///< what of the triggers has come
    bool triggered = false, at_work = false;
    std::int64_t times = 0;
    std::optional<Ps> begins, ends;  ///< to come
  };
  void start_of_simulation() override;
  void trigger(unsigned number);
  void due();
  void begin(unsigned number);
  void end(unsigned number);
  void order();
  void show();

  const std::vector<FaultParams> faults_;
  std::vector<State> states_;
  std::vector<RandomStream> random_;
  std::uint64_t begun_ = 0, touches_ = 0;
  unsigned at_work_ = 0;
  sc_core::sc_event due_;
  TextProbe active_probe_;
  VectorProbe begun_probe_;
  VectorProbe touched_probe_;
};

}  // namespace armature::drive
