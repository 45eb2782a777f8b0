#pragma once

#include "armature/core/error.h"
#include "armature/core/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::drive {

/// One fault of the table `[[faults]]`: what breaks, where, when, and for how long. docs/guide/faults.md describes the
/// kinds.
struct FaultParams {
  enum Kind : int {
    media_defect,   ///< a place on the medium cannot be read
    dead_head,      ///< a head gives no signal any more
    stuck_arm,      ///< an arm does not move
    slow_arm,       ///< its motor has less force
    servo_lost,     ///< its position signal is gone
    slow_spindle,   ///< a stack turns slower
    weak_code,      ///< reads have little margin left
    buffer_flip,    ///< bits of the buffer RAM change
    link_crc,       ///< frames on the link are damaged
    hung_firmware,  ///< the processor stands still: commands time out
    dead_tip,       ///< of a MEMS store
    power_cut,      ///< the supply fails, and comes back
  };
  static constexpr std::size_t kKinds = 12;
  enum Frames : int { any_frame, data_frames, control_frames, drive_data, host_data };

  Kind kind = media_defect;
  std::string drive;  ///< glob of the drive's name; empty: every drive

  // When. With several of these each of them must have come.
  double at_s = 0;
  std::int64_t at_request = -1;     ///< when this request is sent to the drive
  std::int64_t after_request = -1;  ///< when this request has ended
  bool at_access = false;           ///< when a request to [lbn, lbn + sectors) is sent to the drive
  double rate_per_s = 0;            ///< again and again, at exponential intervals; 0: once
  std::int64_t most = 0;            ///< times at the most; 0: no limit
  std::int64_t seed = 1;
  double for_ms = 0;  ///< how long it lasts; 0: for ever, or as the kind says

  // Where.
  std::int64_t lbn = -1;
  std::int64_t sectors = 1;
  std::int64_t arm = -1;      ///< -1: all
  std::int64_t surface = -1;  ///< -1: all that the arm reaches
  std::int64_t head = -1;     ///< of the arm on this surface; -1: all
  std::int64_t stack = -1;    ///< -1: all
  std::int64_t tip = -1;
  std::int64_t address = -1;  ///< byte of the buffer RAM; -1: of what is written to it next
  Frames frames = any_frame;

  // How much.
  std::int64_t rereads = 0;  ///< media_defect: failed reads after which it heals (so does a write); 0: never
  double part = 0.5;         ///< slow_arm: of the motor's force, slow_spindle: of the speed, that is left
  double margin_db = 0;      ///< weak_code
  double falls_db_s = 0;     ///< weak_code
  std::int64_t bits = 1;     ///< buffer_flip
  std::int64_t count = 1;    ///< link_crc: frames in a row

  Place place;  ///< where it was written; no key

  void keys(KeyVisitor& visitor);
  /// Throws InputError ("key: what is wrong") for keys that the kind does not have, or that contradict each other.
  void check() const;
  /// "stuck_arm, arm 1"
  std::string text() const;
};

const char* name_of(FaultParams::Kind kind);

// Faults of the kinds that tests want most.
FaultParams arm_fails(double at_s, std::int64_t arm);
FaultParams head_fails(double at_s, std::int64_t arm, std::int64_t surface, std::int64_t head = -1);
FaultParams grown_defect(std::int64_t lbn, double at_s = 0);

}  // namespace armature::drive
