// Where an arm is when it writes a track, against where it is when it reads it: reader and writer of a head sit apart.
// C11, and C++ for the models. Firmware, channel and the host's estimates use these functions and no others.
#ifndef ARMATURE_FIRMWARE_FW_JOG_H
#define ARMATURE_FIRMWARE_FW_JOG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// All zero: reader and writer are in one place.
struct fw_jog {
  // To write cylinder 0 and cylinder `last` the reader, by which the servo finds its way, is so many 1/256 tracks
  // further in (negative: further out) than to read it. Straight in between.
  int32_t outer;
  int32_t inner;
  // A sector passes under the writer so many 1/256 ticks of 1/65,536 revolution later than under the reader.
  int32_t outer_later;
  int32_t inner_later;
  uint32_t last;  // cylinder, at least 1 unless all is 0
};

static inline int32_t fw_jog_between(int32_t outer, int32_t inner, uint32_t cylinder, uint32_t last) {
  // To the nearest whole one, halves inwards: (outer (last - cylinder) + inner cylinder) / last / 256.
  const int64_t sum = (int64_t)outer * ((int64_t)last - (int64_t)cylinder) + (int64_t)inner * (int64_t)cylinder;
  const int64_t parts = (int64_t)last * 256;
  const int64_t rounded = sum + parts / 2;
  const int64_t whole = rounded / parts;
  return (int32_t)(rounded % parts < 0 ? whole - 1 : whole);
}

// Cylinders from where the arm reads `cylinder` to where it writes it.
static inline int32_t fw_jog_tracks(const struct fw_jog* jog, uint32_t cylinder) {
  if (jog->outer == 0 && jog->inner == 0) return 0;
  return fw_jog_between(jog->outer, jog->inner, cylinder, jog->last);
}

// Ticks by which a sector of `cylinder` passes later under the writer.
static inline int32_t fw_jog_later(const struct fw_jog* jog, uint32_t cylinder) {
  if (jog->outer_later == 0 && jog->inner_later == 0) return 0;
  return fw_jog_between(jog->outer_later, jog->inner_later, cylinder, jog->last);
}

#ifdef __cplusplus
}
#endif

#endif
