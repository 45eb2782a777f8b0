// Translation of LBAs to places on the media, and spare sectors (xlt).
#ifndef ARMATURE_FIRMWARE_DEVICES_TRANSLATION_H
#define ARMATURE_FIRMWARE_DEVICES_TRANSLATION_H

#include "core/core.h"

// The sector's track (cylinder and head, as srv.target), its angle (ticks), and the number of sectors left on that
// track, itself included. REQUIRES: the drive has the sector; otherwise firmware stops.
void fw_translate(struct fw_context* ctx, uint64_t lba, uint32_t* track, uint32_t* angle, uint32_t* run);

// Sectors of the track that lie just before this one.
uint32_t fw_sectors_before(struct fw_context* ctx, uint64_t lba);

// The same for the last translated sector.
uint32_t fw_sectors_before_last(struct fw_context* ctx);

// Sectors per turn of the track of `lba`.
uint32_t fw_track_sectors(struct fw_context* ctx, uint64_t lba);

// The physical sector that begins at `unit` moves to a spare. False: there is no spare. A read of it under way fails,
// and a write under way goes to the spare.
bool fw_move_to_spare(struct fw_context* ctx, uint64_t unit);

#endif
