#pragma once

#include "armature/gdb_server/core.h"
#include "armature/gdb_server/hart_actions.h"
#include "armature/gdb_server/packet_channel.h"
#include "armature/gdb_server/stop_points.h"
#include "armature/sockets/connection.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::gdb_server {

/// What goes back in time for gdb's reverse commands (packets bc and bs).
class Backwards {
 public:
  /// Goes back one instruction of `core`, or to the last stop point before. Returns where the run stands then, to be
  /// told to gdb.
  virtual Stop back(std::size_t core, bool one_instruction) = 0;

 protected:
  ~Backwards() = default;
};

/// A debugger's session: gdb's remote serial protocol over a connection. Harts are gdb's threads, numbered from 1 in
/// the order of `cores`. All of them stand together ("all-stop"): they are one simulation, and while gdb holds one of
/// them nothing else happens. When gdb lets one hart step, the others go on meanwhile.
///
/// Who runs the harts calls `instruction` before each instruction, `access` before each load or store, `look` now and
/// then. Such a call returns when gdb lets the run go on: it may have changed registers and memory meanwhile.
class Session {
 public:
  /// How a session ended; after its end no call does anything.
  enum class End {
    none,
    detached,  ///< the run goes on
    killed,    ///< gdb ended the run
    lost,      ///< the connection broke: gdb is gone
    given_up,  ///< `give_up` said so while gdb held the run
    exited,    ///< the run ended
  };

  /// @param cores    at least one; they outlive the session
  /// @param give_up  asked some times a second while gdb holds the run: true ends the session
  Session(sockets::Connection connection, std::vector<Core*> cores, Monitor& monitor, std::function<bool()> give_up);

  /// `instruction` will do more than count.
  bool may_stop(std::size_t core, std::uint32_t pc) const {
    return end_ == End::none &&
           (since_look_ + 1 >= kLookEvery || !started_ || !actions_.runs(core) || points_.breakpoint(pc));
  }
  /// `access` will.
  bool may_stop(std::uint32_t address, unsigned bytes, bool write) const {
    return end_ == End::none && points_.watchpoint(address, bytes, write);
  }
  /// Before the instruction at `pc`. The first call of all stops there.
  void instruction(std::size_t core, std::uint32_t pc) {
    if (end_ != End::none) return;
    if (++since_look_ >= kLookEvery) look(core);
    if (!started_ || !actions_.runs(core) || points_.breakpoint(pc)) decide(core, pc);
  }
  /// Before a load or store.
  void access(std::size_t core, std::uint32_t address, unsigned bytes, bool write) {
    if (end_ == End::none && points_.watchpoint(address, bytes, write)) watched(core, address, bytes, write);
  }
  /// The run stands for `stop`, until gdb lets it go on.
  void stop(const Stop& stop);
  /// Whether gdb interrupts the run (Ctrl-C), which then stands at `core`, or has gone.
  void look(std::size_t core);
  /// The same for a run that does not stand by itself then.
  bool interrupted();
  /// The program ends with this exit status.
  void exited(int status);

  End end() const { return end_; }
  /// Called when the session ends other than by `exited`: from inside of the call in which it does.
  std::function<void()> on_end;
  /// The hart that gdb looks at.
  std::size_t selected() const { return general_; }
  StopPoints& points() { return points_; }
  /// What another process needs to go on with this session over the same connection; gdb waits meanwhile.
  std::string hand_over() const;
  void take_over(std::string_view handed_over);
  /// Why a stop point of this kind is one.
  static Stop::Reason reason_of(StopPoints::Kind kind);
  /// Null: this run goes forwards only, which gdb learns. @param backwards  outlives the session
  void set_backwards(Backwards* backwards) { backwards_ = backwards; }

 private:
  using Answer = std::optional<std::string>;  ///< none: the run goes on, or ends
  struct Request {
    std::string_view prefix;
    Answer (*handler)(Session&, std::string_view rest);  ///< rest: what follows the prefix
  };
  static const Request kRequests[];
  static constexpr unsigned kLookEvery = 4096;  ///< instructions

  void decide(std::size_t core, std::uint32_t pc);
  std::optional<Stop> reason_to_stop(std::size_t core, std::uint32_t pc) const;
  void watched(std::size_t core, std::uint32_t address, unsigned bytes, bool write);

  void finish(End end);

  void serve();
  Answer answer(std::string_view packet);

  // Requests: "Debugging with GDB", appendix E, 2 (Packets).
  std::string supported() const;
  std::string stop_reply() const;
  Answer point(std::string_view rest, void (StopPoints::*change)(StopPoints::Kind, std::uint32_t, std::uint32_t));
  Answer resume(std::string_view actions);
  Answer resume_one(const Action& action, std::string_view address);
  Answer back(bool one_instruction);
  std::optional<std::size_t> find(std::string_view thread) const;
  Answer choose(std::string_view thread, std::size_t& chosen);
  std::string thread_numbers() const;
  Answer thread_text(std::string_view thread) const;
  Answer monitor(std::string_view rest);
  Answer detach();

  PacketChannel channel_;
  const std::vector<Core*> cores_;
  Monitor& monitor_;
  const std::function<bool()> give_up_;
  Backwards* backwards_ = nullptr;

  bool gdb_waits_ = false;  ///< for the next stop

  StopPoints points_;
  HartActions actions_;
  Stop last_;
  std::size_t general_ = 0, continued_ = 0;  ///< cores that Hg and Hc have chosen
  bool started_ = false;
  unsigned since_look_ = 0;
  End end_ = End::none;
};

}  // namespace armature::gdb_server
