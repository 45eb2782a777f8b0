// The register blocks that have files of their own here.
#ifndef ARMATURE_FIRMWARE_DEVICES_DEVICES_H
#define ARMATURE_FIRMWARE_DEVICES_DEVICES_H

#include "core/core.h"

#include "devices/channel.h"
#include "devices/debug.h"
#include "devices/timer.h"
#include "devices/translator.h"

#endif
