#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/arbiter/arbiter_params.h"
#include "armature/channel/channel_params.h"
#include "armature/controller/controller_params.h"
#include "armature/controller/non_volatile_memory.h"
#include "armature/core/schema.h"
#include "armature/drive/arms_params.h"
#include "armature/drive/fault_params.h"
#include "armature/drive/head_params.h"
#include "armature/drive/mechanics_params.h"
#include "armature/media/contents.h"
#include "armature/media/format.h"
#include "armature/media/geometry.h"
#include "armature/spindle/spindle_params.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armature::drive {

/// What IDENTIFY DEVICE tells: section `identity`.
struct IdentityParams {
  std::string model = "ARMATURE DRIVE";  ///< up to 40 characters
  std::string serial = "ARM0000001";     ///< up to 20 characters
  std::string revision = "0.1";          ///< of the firmware; up to 8 characters
  std::int64_t link_generation = 2;      ///< fastest: 1, 2, 3 for 1.5, 3, 6 Gb/s
  void keys(KeyVisitor& visitor);
};

/// The drive's own work while no command waits: section `background`. Off by default.
struct BackgroundParams {
  double scan_idle_ms = 0;               ///< without a command before the media scan goes on; 0: none
  double scan_rate_mb_s = 0;             ///< 10^6 bytes a second of the scan, on average; 0: as fast as it can
  std::int64_t scan_step_sectors = 256;  ///< of 512 bytes: of one access at most
  double max_added_us = 0;               ///< mean by which it may make a command slower; 0: it waits for idle time
  double recalibration_s = 0;            ///< period; 0: never
  double recalibration_ms = 72;          ///< stay on the reference track
  double recalibration_wait_ms = 1'000;  ///< longest wait for an idle arm
  std::int64_t recalibration_cylinder = 0;
  void keys(KeyVisitor& visitor);
  bool on() const { return scan_idle_ms > 0 || recalibration_s > 0 || max_added_us > 0; }
};

/// Self-monitoring, and parts that firmware takes out of service before they fail: section `smart`.
struct SmartParams {
  double autosave_min = 30;             ///< between two saves of the counts, at most, while commands come; 0: none
  std::int64_t retire_head_errors = 0;  ///< failed reads within the window; 0: never
  std::int64_t retire_arm_errors = 0;   ///< accesses that left their track within the window; 0: never
  double retire_window_s = 3'600;
  void keys(KeyVisitor& visitor);
};

/// Conditions between idle and standby into which a drive goes by itself: section `idle`. Off by default.
struct IdleParams {
  double active_idle_s = 0;     ///< after the end of the last command; 0: never
  double low_power_idle_s = 0;  ///< the same
  double low_rpm_idle_s = 0;    ///< the same: Idle_c, with the stack at its lowest speed
  std::int64_t apm_level = 0;   ///< of advanced power management at power-on; 0: one that forbids none of these
  enum SpinDown : int { never, fixed, adaptive, probabilistic };
  SpinDown spin_down = never;          ///< policy by which the drive goes into standby by itself
  double spin_down_s = 10;             ///< after the end of the last command; first time, or break-even time
  double spin_down_least_s = 1;        ///< adaptive
  double spin_down_most_s = 60;        ///< adaptive
  double spin_down_step_s = 1;         ///< adaptive
  double spin_down_acceptable = 0.05;  ///< adaptive: way back over the time without a command before it
  enum Extended : int { none, disabled, enabled };
  Extended extended = none;  ///< the feature set of extended power conditions (EPC), and its state at power-on
  void keys(KeyVisitor& visitor);
  bool on() const {
    return active_idle_s > 0 || low_power_idle_s > 0 || low_rpm_idle_s > 0 || spin_down != never || extended != none;
  }
};

/// Who changes the stack's speed while requests come: section `speed`. Off by default.
struct SpeedParams {
  enum Policy : int { full, drpm };
  Policy policy = full;
  std::int64_t window_requests = 250;  ///< n: requests of a window
  double upper = 0.15;                 ///< a mean response larger by so large a part: full speed
  double lower = 0.05;                 ///< larger by less: one speed lower is allowed
  double check_s = 1;                  ///< between two looks at the queue
  void keys(KeyVisitor& visitor);
};

/// What the means of a governor save, by the drive's powers (section `power`). No keys.
struct SavingParams {
  double idle_w = 0;            ///< the drive at full speed, all arms on their tracks
  double arm_w = 0;             ///< of it an arm on its track
  std::vector<double> lower_w;  ///< as idle_w, at each of spindle.speeds_rpm
  std::vector<double> rise_j;   ///< from each of these to the next higher speed: beyond what the drive draws there
};

/// Chooses arms in service, quiet seeks, speed and idle conditions for an objective: section `governor`. Off by
/// default.
struct GovernorParams {
  enum Objective : int { off, watts, response, share };
  Objective objective = off;
  double period_s = 10;
  std::int64_t calm_periods = 3;  ///< in a row, before it gives power back (watts) or saves more (response)
  double cap_w = 0;               ///< watts: of a period's mean power; share: until the array tells one
  double room = 0.05;             ///< watts: part of the cap that a setting which is chosen leaves free
  double p99_ms = 0;              ///< response: 99 of 100 requests of a period take no longer
  /// Settings, the most power first: rpm, arms in service, quiet seeks (0, 1), idle conditions allowed (0 to 4, the
  /// shallowest first). Empty: all means of the drive, one after the other.
  std::vector<std::vector<double>> settings;
  SavingParams saving;
  void keys(KeyVisitor& visitor);
};

/// A cap on the drive's power, kept by firmware: section `power_cap`. Off by default.
struct PowerCapParams {
  double cap_w = 0;      ///< on average over each window while the stack turns; 0: none
  double window_s = 1;   ///< of the rolling average
  double margin = 0.02;  ///< part of the cap that is free for accesses that have begun
  bool quiet = true;     ///< quiet seeks are a means
  bool arms = true;      ///< arms out of service are one
  void keys(KeyVisitor& visitor);
};

/// What firmware does when the drive's case is warm: section `throttle`. Off by default.
struct ThrottleParams {
  double at_c = 0;          ///< above it firmware takes one measure after another; 0: never
  double hysteresis_c = 3;  ///< so far below it takes them back
  double every_s = 30;      ///< between two of these steps, at least
  bool quiet = true;        ///< quiet seeks are a measure
  bool arms = true;         ///< arms out of service are one
  void keys(KeyVisitor& visitor);
};

/// A sensor on the drive's case, C: what the datasheet allows. No keys: a drive with temperatures has one.
struct SensorParams {
  double least_c = 0;
  double most_c = 0;
};

/// What a drive would be if its physics were another's: section `whatif`, for limit studies.
struct WhatIfParams {
  double seek_scale = 1;      ///< of every move of an arm and change of heads
  double rotation_scale = 1;  ///< of every wait for a sector
  void keys(KeyVisitor& visitor);
};

/// Sections that every drive has, whatever its medium: its controller with the firmware, and what firmware keeps to.
struct CommonParams {
  IdentityParams identity;
  controller::BufferParams buffer;
  controller::CacheParams cache;
  controller::ControllerParams controller;
  controller::FirmwareParams firmware;
  controller::OverheadParams overheads;
  controller::NvmParams nvm;
  arbiter::ArbiterParams arbiter;
  BackgroundParams background;
  SmartParams smart;
  std::vector<FaultParams> faults;
  std::optional<SensorParams> sensor;
  /// Not a key: the host has switched on non-zero buffer offsets (SET FEATURES 10h) when the drive starts and after
  /// each COMRESET. Hosts of scenarios do; their commands for this are left out.
  bool buffer_offsets = false;
};

/// Everything a hard disk is made of; each member is a section of a drive file of the same name.
struct DriveParams : CommonParams {
  media::GeometryParams geometry;
  media::FormatParams format;
  media::ContentsParams media;
  spindle::SpindleParams spindle;
  actuator::SeekParams seek;
  MechanicsParams mechanics;
  ArmsParams arms;
  HeadParams head;
  WhatIfParams whatif;
  IdleParams idle;
  SpeedParams speed;
  GovernorParams governor;
  PowerCapParams power_cap;
  ThrottleParams throttle;
  channel::ChannelParams channel;
  void keys(KeyVisitor& visitor);

  /// The layout that arms, geometry and format make: what a media::Geometry of the drive is built from. Throws
  /// InputError if they do not go together.
  media::GeometryParams layout() const;

  /// Cylinders of the stroke for which section `seek` holds: those of the layout, or of disks that are not scaled.
  std::uint32_t seek_cylinders(const media::Geometry& layout) const;

  /// The drive knows active idle, low-power idle, or both: their states are published.
  bool idle_conditions() const { return idle.on() || seek.acquire_ms > 0; }
  /// From the handler of a grant until the arm starts, at most: arms.prepare_us, the timer's handler, and what a timer
  /// may be late that had to give way to an earlier one. 0 if the handler starts the arm.
  Ps arm_prepare_time() const;
  /// From an arm's request for a channel to the start of the channel, on an idle processor, if one is free; 0 if each
  /// arm has its own.
  Ps channel_grant_time() const;
  /// So long before its first sector an arm asks for a channel that others may want: arms.channel_lead_us, and what the
  /// handlers of timer and grant and the preamplifier need.
  Ps channel_lead_time() const;
  /// From the last sector of an access until its channel and its arm are free: the decoder's end, the handler.
  Ps channel_end_time() const;
};

/// Turns the old forms (arms.failures, arms.head_failures, media.defects) into faults, before those of the table.
/// Returns the names of the keys that were used.
std::vector<std::string> take_old_faults(DriveParams& params);
extern const char* const kFaultsMeaning;  // NOLINT(readability-identifier-naming): a constant

}  // namespace armature::drive
