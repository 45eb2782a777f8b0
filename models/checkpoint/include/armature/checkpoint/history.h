#pragma once

#include "armature/checkpoint/checkpoints.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace armature::checkpoint {

/// The way of a run through its positions, forwards and back. Going back wakes a checkpoint, which runs on in silence
/// to the position wanted; looking for the last of many places takes one such run to find it and another to go there.
///
/// The run calls `advance` at each position, before what happens there. While it is `silent`, it asks nobody and tells
/// nothing, but notes with `note` where it would have stopped.
class History {
 public:
  /// Where a run that went back has arrived; it stands there.
  struct Arrival {
    enum class Kind {
      place,      ///< the position asked for
      found,      ///< a place that was noted
      beginning,  ///< the first checkpoint: nothing was noted before
      given_up,   ///< the search was broken off here
    };
    Kind kind = Kind::place;
    std::string note;  ///< of what was found
  };

  /// @param checkpoints  outlive this
  explicit History(Checkpoints& checkpoints);

  Position position() const { return position_; }

  /// The next position. True: this process has been woken, or has arrived: `woken` and `arrival` say more.
  bool advance() { return ++position_ >= look_at_ && look(); }
  /// More may happen at the next position than that it is counted.
  bool due() const { return position_ + 1 >= look_at_; }
  bool silent() const { return errand_.kind != Errand::Kind::none; }
  /// Once for each time that this process was woken: what the process that sent it handed over.
  std::optional<std::string> woken() { return std::exchange(handed_over_, std::nullopt); }
  /// In silence: the run would stop here. The last note is what counts.
  void note(std::string_view what) { note(what, position_); }
  /// The same, but it stands at another place for it: the next one.
  void note(std::string_view what, Position there);
  /// Once for each arrival.
  std::optional<Arrival> arrival();
  /// In silence: the run stands here and asks somebody again.
  void give_up();

  /// Goes back to the last position before `end` at which something was noted, or to the beginning. Does not return,
  /// unless that is impossible: why. Empty: the run stands at the beginning already.
  /// @param end      at most one behind the present position
  /// @param session  what the process that goes on there is to know of this one
  std::string back_to_note(Position end, std::string_view session);
  /// Goes to an earlier position, or to the present one when more has happened since. The same otherwise.
  std::string back_to(Position there, std::string_view session);

  /// Somebody has changed the state of the run. What came after is another history; the change counts from the next
  /// position on, unless `resume` is called at this one.
  void changed() {
    changed_ = true;
    look_at_ = position_;
  }
  /// Before the run goes on from where somebody held it, at the present position. True: as with `advance`.
  bool resume() { return changed_ && renew(); }

 private:
  struct Errand {
    enum class Kind : std::uint8_t { none, go, search };
    Kind kind = Kind::none;
    Arrival::Kind arrival = Arrival::Kind::place;
    Position end = 0;    ///< where the run stands again, or what lies behind it is no more looked at
    Position found = 0;  ///< the last position with a note
    bool has_found = false;
    std::string note;
    std::string session;
  };

  static std::string packed(const Errand& errand);
  static Errand unpacked(std::string_view text);

  bool look();
  bool renew();
  bool take();
  void begin(std::string_view packed);
  void arrive(Arrival::Kind kind);
  std::string wake_before(Position end, Errand errand);
  std::string go(const Errand& errand);
  std::string wake(Position from, const Errand& errand);
  void conclude();
  void plan();

  Checkpoints& checkpoints_;
  Position position_ = 0;
  Position look_at_ = 1;
  Position near_ = 0;  ///< where a checkpoint is taken on the way, just before the errand's end; 0: none
  Position woken_at_ = 0;
  Position changed_from_ = 0;  ///< of the last change: what lies behind comes from a checkpoint from here on only
  bool changed_ = false;
  Errand errand_;
  std::optional<std::string> handed_over_;
  std::optional<Arrival> arrival_;
  std::chrono::steady_clock::time_point taken_;
};

}  // namespace armature::checkpoint
