// The register blocks.
#ifndef ARMATURE_FIRMWARE_DEVICES_DEVICES_H
#define ARMATURE_FIRMWARE_DEVICES_DEVICES_H

#include "devices/arbiter.h"
#include "devices/buffer.h"
#include "devices/channel.h"
#include "devices/channel_arbiter.h"
#include "devices/debug.h"
#include "devices/host_interface.h"
#include "devices/nvm.h"
#include "devices/servo.h"
#include "devices/spindle.h"
#include "devices/system.h"
#include "devices/timer.h"
#include "devices/translation.h"

#endif
