#pragma once

#include "armature/servo/controller.h"
#include "armature/servo/follow.h"
#include "armature/servo/plant.h"
#include "armature/servo/surroundings.h"

#include <optional>
#include <vector>

namespace armature::servo {

/// The loop of plant, sensor and controllers, a wedge at a time. What the arm should do in a seek comes from outside.
class Loop {
 public:
  /// @param points  of each hold at which the head's path is looked at; `plant` takes steps of that part of a hold
  Loop(const ServoParams& servo, Plant plant, std::int64_t points = 1);

  /// What the controller gets at a wedge besides the error: commands (A) of a profile, one a hold, may be null.
  struct Guide {
    double reference_m = 0;              ///< where the middle of the track is, on the way
    const double* commands_a = nullptr;  ///< added to the controller's, one a hold
    bool integrate = true;               ///< the controller's integral takes part
    double base_m_s2 = 0;                ///< what the base does beside section `external`
    double air = 1;                      ///< factor on windage
    bool blind = false;                  ///< the wedge is not read: the controllers see no error
    double base_rad_s2 = 0;              ///< how the base turns beside section `external`, for the sensor
  };

  /// One wedge with its holds. Returns the position error signal, tracks.
  double wedge(const Guide& guide, const Recorder& recorder);

  double off_track() const { return off_track_; }  ///< tracks, at the last wedge
  /// Tracks, the head with windage at the beginning of each step of the last wedge: points times holds of them.
  const std::vector<double>& head() const { return head_; }
  double arm() const { return arm_; }  ///< tracks, the head as coil and second stage move it, at the last wedge
  double current_square() const { return current_square_; }  ///< A^2, mean over the last wedge's holds
  double current_mean() const { return current_mean_; }      ///< A, mean of the amount
  double current_sum() const { return current_sum_; }        ///< A, mean with its sign
  double rail_w() const { return rail_w_; }                  ///< W, mean that the coil's supply gives
  double piezo_square() const { return piezo_square_; }
  double time_s() const { return begin_s_ + static_cast<double>(count_) * wedge_s_; }
  /// The next wedge is number `wedge` of the turn and comes at `time_s`.
  void resume(double time_s, std::size_t wedge) {
    begin_s_ = time_s;
    count_ = 0;
    wedge_ = wedge;
  }
  void reset_controllers() {
    voice_coil_.reset();
    if (piezo_chain_) piezo_chain_->reset();
  }
  bool base_moves() const { return surroundings_.base_moves(); }
  std::vector<BasePoint> base_course() const { return surroundings_.base_course(); }
  Plant& plant() { return plant_; }
  const Plant& plant() const { return plant_; }
  /// Part of its force that the coil has; its current stays what is commanded.
  void weaken(double part) { force_ = part; }
  bool settled() const { return settled_; }
  void set_settled(bool settled) { settled_ = settled; }

 private:
  Plant plant_;
  Surroundings surroundings_;
  Chain voice_coil_;
  std::optional<Chain> piezo_chain_;
  std::optional<Stage> stage_;
  std::int64_t points_;
  double wedge_s_, step_s_, pitch_m_;
  const DriverParams driver_;
  double back_emf_;          // V s/m; 0 with voltage drive, whose voltage is known
  double known_a_per_m_s2_;  // fed forward of what is known of the base
  double stroke_m_v_;        // of the second stage
  bool decouple_;
  std::size_t holds_;
  void step(double command, double base);
  Instant instant(double time_s, double command, double base, const Guide& guide) const;
  double head_m() const { return plant_.position() + (stage_ ? stage_->position() : 0); }

  std::size_t wedge_ = 0;  // of the revolution
  std::int64_t count_ = 0;
  double begin_s_ = 0;
  double piezo_command_ = 0;
  std::vector<double> head_;
  double error_ = 0, off_track_ = 0, arm_ = 0, current_square_ = 0, current_mean_ = 0, piezo_square_ = 0, rail_w_ = 0,
         current_sum_ = 0;
  bool settled_ = false;
  double force_ = 1;
};

}  // namespace armature::servo
