#pragma once

#include "armature/core/behind.h"
#include "job.h"

#include <systemc>

#include <memory>
#include <vector>

namespace armature::array {

struct Array;

/// Makes the contents of a missing member on a spare, from the first sector to the last, part by part.
class Rebuild final : public sc_core::sc_module, public Task {
 public:
  Rebuild(sc_core::sc_module_name name, Array& array);

  /// There is one.
  bool wanted() const { return slot_ >= 0; }
  /// Puts a spare in the place of the first missing member, if there are such.
  void take_spare();
  void wake() { next_.notify(sc_core::SC_ZERO_TIME); }
  /// The host will issue no more. Between two parts the rebuild ends, unless it is to be completed.
  void close();

  void locked(Job& job) override;
  void over(Job& job) override;

 private:
  void next();
  bool choose_sources();
  void part_over();
  void ends(bool complete);

  Array& array_;
  std::unique_ptr<StretchJob> job_;      ///< the part in work
  int slot_ = -1;                        ///< -1: there is no rebuild
  Ps next_at_ = 0;                       ///< when the part after that may begin
  std::vector<unsigned> unread_copies_;  ///< slots from which the present part could not be read
  sc_core::sc_event next_;
  Behind order_{Behind::kArrayWork};
};

}  // namespace armature::array
