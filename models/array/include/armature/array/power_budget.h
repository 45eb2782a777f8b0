#pragma once

#include "armature/core/kernel_time.h"
#include "armature/core/probe.h"
#include "armature/core/schema.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace armature::array {

/// Whose share of the cap changes, in the order of the key `power.shares`: nobody's, or by load.
enum class PowerShares : int { equal, load };

/// A cap on the mean power of the members together: keys of the section `array.power`.
struct PowerBudgetParams {
  double cap_w = 0;  ///< 0: none
  PowerShares shares = PowerShares::load;
  double least_w = 5;  ///< of a share
  double period_s = 10;

  void keys(KeyVisitor& visitor);
  /// Throws InputError if the cap has no room for the least shares of so many members.
  void check(std::size_t members) const;
};

/// A budget of watts that moves from one member of an array to another. Each member's governor keeps to its share.
///
/// A member's load is the mean number of operations that it has out, averaged over periods with a half of the newest.
/// It wants
///
///     least_w + (cap_w - n least_w) load / sum of loads
///
/// and equal parts without a load of at least 0.001. Who wants less than its share gets less at once. Who wants more
/// gets it from what is free: the cap less the greater of share and mean power of each member. So the shares never sum
/// up to more than the cap, and watts that a member still draws are not given to another.
class PowerBudget {
 public:
  struct Counters {
    std::uint64_t moves = 0;  ///< periods at whose end a share grew
    double moved_w = 0;       ///< watts that shares grew by, all together
    double most_w = 0;        ///< greatest mean power of a period, all members together
    std::uint64_t periods = 0;
    std::uint64_t over = 0;  ///< periods whose mean power was above the cap
  };

  PowerBudget(const PowerBudgetParams& params, std::size_t members);
  /// @param drawn_j  what the member has drawn since time 0
  /// @param tell     its share in watts: called at once, and when it changes
  /// @param path     of its wave signal
  void connect(std::size_t member, std::function<double()> drawn_j, std::function<void(double)> tell, ProbeSink* probes,
               const std::string& path);
  /// The simulation starts.
  void begin();
  /// An operation of a member has ended. Periods end with the first one after their time.
  void ended(std::size_t member, Ps begun, Ps at);
  /// The shares after a period, from the members' mean numbers of operations and mean power in it.
  void judge(const std::vector<double>& loads, const std::vector<double>& drawn_w);

  double share_w(std::size_t member) const { return members_.at(member).share_w; }
  std::size_t members() const { return members_.size(); }
  const Counters& counters() const { return counters_; }

 private:
  struct Member {
    std::function<double()> drawn_j;
    std::function<void(double)> tell;
    RealProbe probe;
    double share_w = 0, load = 0;
    double before_j = 0;  ///< drawn until the period began
    Ps busy = 0;          ///< times of the operations that have ended in it, summed up
  };

  std::vector<double> wanted(const std::vector<double>& loads);
  void set(Member& member, double share_w);

  const PowerBudgetParams params_;
  std::vector<Member> members_;
  Ps since_ = 0;
  Counters counters_;
};

}  // namespace armature::array
