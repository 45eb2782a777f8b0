#pragma once

#include "armature/channel/channel_params.h"
#include "armature/drive/drive_params.h"
#include "armature/media/contents.h"
#include "armature/mems/params.h"

namespace armature::mems {

/// A MEMS store as a drive: what every drive has, and the store.
struct MemsDriveParams : drive::CommonParams {
  MemsParams store;
  media::ContentsParams media;
  channel::ChannelParams channel;
};

}  // namespace armature::mems
