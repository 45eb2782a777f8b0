#pragma once

#include "armature/actuator/seek_motion.h"
#include "armature/core/block_context.h"
#include "armature/core/energy.h"
#include "armature/core/time.h"

#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace armature::actuator {

/// What moves an arm and holds it, behind the registers of a Servo: a timed profile, or a loop of plant and controller.
/// Positions are cylinders of the arm's heads 0; the ramp lies outside cylinder 0, at a negative position.
class Motion {
 public:
  struct Move {
    enum class Kind : std::uint8_t {
      seek,     ///< to a cylinder; with `to` == `from` and the same head the arm stays, and settles anew if told so
      load,     ///< from the ramp to cylinder 0
      unload,   ///< to cylinder 0 and from there onto the ramp
      retract,  ///< onto the ramp from wherever it is, without supply
      acquire,  ///< the servo is on again and finds the track `from`, which is `to` as well
    };
    Kind kind = Kind::seek;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool head_changes = false;
    bool write = false;   ///< settle for writing
    bool settle = false;  ///< the arm was at rest and settles anew, even where it is
    bool quiet = false;   ///< a quiet seek; needs has_quiet()
  };
  /// When an arm is settled, counted from the start of its move, ps.
  struct Times {
    Ps read = 0;  ///< for reading
    Ps done = 0;  ///< for what the move is for; never before `read`
  };

  virtual ~Motion() = default;

  virtual std::uint32_t cylinders() const = 0;  ///< that the arm may be sent to
  virtual bool ramp() const = 0;
  virtual bool releases() const { return false; }    ///< an arm can rest on the disk without a servo
  virtual bool has_quiet() const { return false; }   ///< quiet seeks
  virtual bool has_phases() const { return false; }  ///< seeks have phases, and a coil whose power is known
  virtual Rail coil_rail() const { return Rail::v12; }
  /// Of the seek that start() has begun: its phases and what the coil takes. Null if it has none, because the arm stays
  /// on its cylinder or because nothing is known ahead.
  virtual const CoilMove* coil_move() const { return nullptr; }
  /// Called while an arm seeks, if set: the phase from now on, and what the coil's supply gives in it, W. Of a motion
  /// that has phases and no coil_move().
  std::function<void(SeekPhase phase, double watts)> on_coil;
  /// What a move that starts at `start` (ps, not before the last one has ended) takes, as far as that is known ahead:
  /// by the profile, or by calibration.
  virtual Times times(const Move& move, Ps start) const = 0;
  /// Starts now. The times if the motion knows them ahead and will keep them; otherwise read_settled() and arrived()
  /// tell. No move may be under way, except before a retract.
  virtual std::optional<Times> start(const Move& move) = 0;
  /// The move under way does not end. The arm stays where it is, or the retract that follows starts from there.
  virtual void halt() = 0;
  /// Settled on its track now, for writing if `write`. Requires that the last move has ended.
  virtual bool settled(bool write) const = 0;
  /// Too far from the middle of the track just now to read, or to write if `write`. on_stray reports changes.
  virtual bool strays(bool /*write*/) const { return false; }
  /// Distance from the middle of the track, tracks, if the motion knows it.
  virtual std::optional<double> position_error() const { return std::nullopt; }
  /// Part of its force that the motor has from now on, above 0 to 1: moves take longer.
  virtual void weaken(double part) = 0;
  /// Nothing tells where the arm is, or something does again. The servo reports whether the arm strays.
  virtual void blind(bool /*blind*/) {}
  /// After halt(): the arm stands still on a cylinder.
  virtual void rest(std::uint32_t /*cylinder*/) {}
  /// Firmware has no work for the arm: until the next start nobody asks where exactly it is.
  virtual void idle() {}
  /// Called when strays() has changed.
  std::function<void()> on_stray;
  /// The last move may have been faster than times() says to someone who does not know where it began.
  virtual bool sooner() const = 0;
  virtual double position_at(Ps at) const = 0;  ///< cylinders; at now, or for a motion known ahead later
  virtual double velocity_at(Ps at) const = 0;  ///< cylinders a second, positive inwards

  /// Before the simulation starts: declares the probe of the position below `path` ("atlas10k.disk.srv0").
  virtual void declare_traces(const BlockContext& context, const std::string& path) = 0;
  virtual void start_of_simulation() = 0;  ///< shows where the arm is
  /// Tells by read_settled() when a move for a write is settled for reading.
  void watch_read_settling() { watches_read_settling_ = true; }

  sc_core::sc_event& arrived() { return arrived_; }            ///< the move is over: settled, or on the ramp
  sc_core::sc_event& read_settled() { return read_settled_; }  ///< a move for a write is settled for reading

 protected:
  bool watches_read_settling_ = false;
  sc_core::sc_event arrived_;
  sc_core::sc_event read_settled_;
};

}  // namespace armature::actuator
