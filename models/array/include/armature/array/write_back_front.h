#pragma once

#include "armature/array/line_map.h"
#include "armature/core/behind.h"
#include "armature/host/block_port.h"

#include <systemc>

#include <functional>
#include <vector>

namespace armature::array {

/// What answers commands of the host in front of an array's members, and writes to the members later (destage): its
/// lines, when destages begin, and the end. `ArrayCache` keeps the data in memory, `Staging` on a drive of its own.
class WriteBackFront : public sc_core::sc_module, public host::BlockPort, private host::BlockClient {
 public:
  struct Keys {
    double destage_at;       ///< share of the lines
    double destage_idle_ms;  ///< negative: a quiet host begins no destage
    std::int64_t destage_depth;
  };
  struct Counters {
    std::uint64_t read_hits = 0;    ///< requests of which all sectors were there
    std::uint64_t read_parts = 0;   ///< of which some were
    std::uint64_t read_misses = 0;  ///< of which none was
    std::uint64_t writes_kept = 0;  ///< that ended when the front had them
    std::uint64_t writes_past = 0;  ///< that went to the members before they ended
    std::uint64_t destages = 0;
    std::uint64_t destaged_sectors = 0;
  };

  void set_client(host::BlockClient& client) final { client_ = &client; }
  void issue(unsigned tag, const host::BlockCommand& command) final;
  void identify() final { below_.identify(); }
  const sata::IdentifyData& identity() const final { return below_.identity(); }
  void control(const host::ControlCommand& command) final { below_.control(command); }
  bool completes_late() const final { return true; }
  /// Tags that it uses below: those of the host, then those of destages.
  unsigned tags_below() const { return tags_ + static_cast<unsigned>(keys_.destage_depth); }

  /// The host will issue no more: destages what is dirty, then calls `closed`.
  virtual void close(std::function<void()> closed);
  std::uint64_t dirty_lines() const { return map_.dirty_lines(); }

 protected:
  /// @param tags         of the host: those of destages follow them
  /// @param row_sectors  data of a row of the array; a destage does not go beyond it
  /// @param data         commands carry data
  WriteBackFront(sc_core::sc_module_name name, const Keys& keys, LineMap map, host::BlockPort& below, unsigned tags,
                 std::uint64_t row_sectors, bool data, Behind::Rank rank);

  /// A command of the host has come; its tag is in `begun_`.
  virtual void began(unsigned tag, const host::BlockCommand& command) = 0;
  /// Begins the commands in `begun_`, and goes on with others. Ends with `pump`.
  virtual void settle() = 0;
  virtual bool tag_free(unsigned tag) const = 0;
  /// Begins the destage of a run of dirty sectors.
  virtual void destage(unsigned tag, std::uint64_t first, std::uint32_t sectors) = 0;
  /// Something can be destaged.
  virtual bool destages_left() const = 0;
  /// Destages are not to wait for a share of dirty lines.
  virtual bool urgent() const = 0;
  /// After `pump`: a flush or the end may have waited for the last destage.
  virtual void goes_on() = 0;

  bool wants_destage() const;
  virtual void pump();
  /// A command of the host is over.
  void answered();
  /// Destages when the host has been quiet for long enough.
  void wait_for_idle();
  /// All is destaged that can be: calls `closed`.
  void over();

  const Keys keys_;
  LineMap map_;
  host::BlockPort& below_;
  host::BlockClient* client_ = nullptr;
  const unsigned tags_;
  const bool data_;
  std::vector<unsigned> begun_;  ///< commands of this instant
  unsigned destages_out_ = 0;
  std::function<void()> closed_;  ///< the host will issue no more
  sc_core::sc_event settle_;

 private:
  void identified(const host::CommandStatus& status, Ps at) final { client_->identified(status, at); }
  void controlled(const host::CommandStatus& status, Ps at) final { client_->controlled(status, at); }
  void idle_over();

  const std::uint64_t row_sectors_;
  unsigned host_out_ = 0;
  bool idle_ = false;
  sc_core::sc_event idle_event_;
  Behind idle_order_;
};

}  // namespace armature::array
