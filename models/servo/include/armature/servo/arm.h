#pragma once

#include "armature/servo/params.h"
#include "armature/servo/seek.h"
#include "armature/servo/surroundings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace armature::servo {

/// One arm as a drive runs it: plant, surroundings and controllers, seek after seek, a wedge at a time. Positions are
/// metres from the middle of the stroke.
class Arm {
 public:
  /// @param servo   with controllers as they stand (designed())
  /// @param number  of the arm: arms of one drive have noise of their own
  Arm(const ServoParams& servo, unsigned number);
  ~Arm();

  /// At rest there and following it; filters and noise go on as they were.
  void place(double position_m);
  /// Goes there from the next wedge on; quiet: by acoustic level 128.
  void seek(double target_m, bool quiet = false);
  /// Goes to its target from where it is now, with the speed that it has: after it has lost the track.
  void reacquire();
  /// The next wedge is number `wedge` of the turn and comes at `time_s`.
  void resume(double time_s, std::size_t wedge);
  /// Samples the position error at the wedge, and moves the arm on to the next one.
  /// @param base_m_s2  acceleration of the heads against the base until then, beside section `external`
  /// @param air        factor on windage until then
  /// @param base_rad_s2  how the base turns at the wedge, beside section `external`: what a sensor there reads
  void wedge(double base_m_s2 = 0, double air = 1, double base_rad_s2 = 0);
  /// Wedges are not read from now on: the controllers see no error, and no sample lies in a window.
  void blind(bool blind);
  /// Part of its force that the coil has.
  void weaken(double part);

  /// At the last wedge, against the target: position error signal, true distance, tracks.
  double error_tracks() const;
  double off_track_tracks() const;
  bool settled(bool write) const;  ///< enough samples in a row have been in the window since the seek began
  bool within(bool write) const;   ///< the last samples are
  bool arrived() const;            ///< the profile of the seek is over
  double position_m() const;       ///< of the head; as all below at the next wedge
  double velocity_m_s() const;
  double current_a() const;
  double rail_w() const;    ///< mean power from the coil's supply since the last wedge
  double force_n() const;   ///< of the coil at the heads' radius, mean since the last wedge
  SeekPhase phase() const;  ///< since the last wedge; settle while the arm follows its track
  double wedge_s() const;
  bool base_moves() const;  ///< there are shocks or vibration
  std::vector<BasePoint> base_course() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace armature::servo
