#pragma once

#include "armature/channel/channel_params.h"
#include "armature/firmware/fw_abi.h"

namespace armature::drive {

/// The channels' retry ladder, into the factory record. `params` are such that channel::ReadProcess takes them.
void describe_ladder(const channel::ChannelParams& params, fw_factory& record);

}  // namespace armature::drive
