#pragma once

#include "armature/core/schema.h"
#include "armature/power/power_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::power {

/// Properties of a drive, other than section `power`, on which the power of its states depends.
struct DriveStructure {
  unsigned arms = 1;        ///< positioners of the drive
  bool fixed_arm = false;   ///< the last of these never moves and has no coil
  unsigned stacks = 1;      ///< disk stacks
  unsigned channels = 1;    ///< data channels
  double heads = 2;         ///< data surfaces of the drive
  double rpm = 7200;        ///< of each stack
  double disk_scale = 1;    ///< diameter of the disks against the one that section `power` says
  double spin_up_s = 10;    ///< from standstill to speed
  double spin_down_s = 10;  ///< from speed to standstill
  /// Of a modelled motor, of one stack: what it takes from its rail at speed, W, and its mean power in so many equal
  /// parts of spin_up_s. They stand in place of what section `power` says of the spindle. Negative, empty: no motor.
  double motor_turning_w = -1;
  std::vector<double> motor_spin_up_w;
  /// A speed at which a stack can turn besides `rpm`.
  struct LowerSpeed {
    std::string state;  ///< of the stack, as published
    double rpm = 0;
    double motor_w = -1;  ///< of a modelled motor: from its rail; negative: no motor
  };
  std::vector<LowerSpeed> lower_speeds;
  double average_seek_ms = 8.5;
  /// Mean power of an arm's coil in random seeks, one after the other, by what moves it (seek.coil), W; its phases and
  /// their power are published then. Negative: the drive file does not say.
  double coil_seek_w = -1;
  bool idle_conditions = false;  ///< active idle and low-power idle are published, and the ways there and back
  double load_s = 0;             ///< from the ramp; 0: there is none
  double unload_s = 0;           ///< onto the ramp, from cylinder 0
  /// What is published of the coil is all that it takes in a seek: while it coasts and settles, too.
  bool coil_holds = false;
};

/// Power over all loads on a drive's rails, W.
struct RailWatts {
  double v5 = 0;
  double v12 = 0;
  double total() const { return v5 + v12; }
};

/// Windage and bearings of a stack that turns, relative to a reference stack:
///
///     P / P_ref = (N / N_ref) ((1 - b) (rpm / rpm_ref)^2.8 (D / D_ref)^4.6 + b (rpm / rpm_ref)^2)
///
/// The first term is the empirical law of document 000 (sections 2 and 3; Gunther, "A Note on Disk Drag Dynamics");
/// the second the viscous loss of fluid bearings.
/// @param bearing_share b, 0 to 1
double spindle_law(double platters_ratio, double rpm_ratio, double diameter_ratio, double bearing_share);

/// Moment of inertia of `platters` disks with a hole as the form factor has it, and a hub: kg m2.
/// Disks of more than 3 inches: aluminium, 1.27 mm thick, 25 mm hole; smaller ones: glass, 0.635 mm, 20 mm hole.
double stack_inertia(double platters, double diameter_in);

/// Power of a drive as its datasheet tells it, and how that is divided over the components: keys of the section
/// `power`.
///
/// A figure is either the currents on the two rails, `..._a = [5 V, 12 V]`, or the total, `..._w`; if both, they must
/// agree. docs/guide/energy.md has the equations, and which figure goes where.
struct PowerParams {
  enum Supply : int { both_rails, only_5v };

  Supply supply = both_rails;

  // The datasheet's figures; a total of -1 and an empty list: not given.
  std::vector<double> idle_a, seek_a, operating_a, read_a, standby_a, sleep_a;
  std::vector<double> active_idle_a, low_power_idle_a;
  double idle_w = -1, seek_w = -1, operating_w = -1, read_w = -1, standby_w = -1, sleep_w = -1;
  double active_idle_w = -1, low_power_idle_w = -1;
  double write_w =
      -1;  ///< as read_w, writing; only what it differs by counts, and that is drawn while data are written
  double spin_up_peak_a = -1;  ///< of the rail that feeds the spindle
  double spin_up_peak_w = -1;  ///< of the whole drive
  double spin_up_j = -1;       ///< of the whole drive, from standstill to speed
  double spin_down_j = -1;     ///< of the whole drive, from speed to standstill
  double load_j = -1;          ///< of the whole drive, from the ramp
  double unload_j = -1;        ///< of the whole drive, onto the ramp

  // For which stack the figures hold; 0: this one.
  double reference_rpm = 0;
  double reference_platters = 0;
  double reference_diameter_in = 0;
  double platters = 0;  ///< of a stack; 0: half the heads, rounded up
  double diameter_in = 3.7;
  double bearing_share = 0;
  double inertia_kg_m2 = 0;  ///< of a stack; 0: from platters and diameter

  // Decomposition.
  double idle_5v_w = -1;  ///< of an idle power given as a total
  double hold_w = 0.1;    ///< of an arm on its track
  double seek_5v_share = 0.83;
  std::vector<double> phases_5v_w;  ///< preamplifier and servo of an arm in each phase of a seek; empty: as otherwise
  std::vector<double> idle_5v_split = {0.45, 0.2, 0.1, 0.25};      ///< controller, interface, buffer, servo
  std::vector<double> active_split = {0.5, 0.2, 0.15, 0.1, 0.05};  ///< controller, interface, buffer, channel, preamp
  double cpu_busy_w = 0;
  double buffer_active_w = 0;
  double link_busy_w = 0;

  void keys(KeyVisitor& visitor);

  /// Without an idle power there is nothing to account.
  bool given() const { return idle_w >= 0 || !idle_a.empty(); }

  /// The datasheet's figures by rail as the decomposition takes them, those that are not given by the rules of
  /// docs/guide/energy.md. Throws InputError ("power.key: what is wrong").
  struct Figures {
    RailWatts idle, seek, standby, sleep;
    double write_5v_w = 0;   ///< on top while data are written
    double active_5v_w = 0;  ///< by which a command of the operating (or reading) test raises the 5 V power on average
    double channel_share = -1;  ///< part of that which is drawn while the channel is on only; -1: by active_split
    double channel_part = 1;    ///< of the time of such a command in which the channel is on
  };
  Figures figures(const DriveStructure& drive) const;

  /// At `drive`'s speed, of one stack, at the datasheet's idle: W.
  double spindle_w(const DriveStructure& drive) const;
  /// The same at one of its lower speeds, by spindle_law or by the motor.
  double spindle_w(const DriveStructure& drive, const DriveStructure::LowerSpeed& lower) const;

  /// What every state of every published component draws. Throws InputError: figures that contradict each other, or
  /// that leave a component less than nothing.
  PowerTable table(const DriveStructure& drive) const;
};

}  // namespace armature::power
