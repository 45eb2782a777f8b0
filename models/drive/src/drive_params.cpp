#include "armature/drive/drive_params.h"

namespace armature::drive {

void IdentityParams::keys(KeyVisitor& visitor) {
  visitor.key("model", model, "Model that IDENTIFY DEVICE tells, up to 40 ASCII characters");
  visitor.key("serial", serial, "Serial number that IDENTIFY DEVICE tells, up to 20 ASCII characters");
  visitor.key("firmware", revision, "Firmware revision that IDENTIFY DEVICE tells, up to 8 ASCII characters");
  visitor.key("link_generation", link_generation, "", {1, 3},
              "Fastest link rate that IDENTIFY DEVICE tells: 1, 2, 3 for 1.5, 3, 6 Gb/s");
}

void DriveParams::keys(KeyVisitor& visitor) {
  visitor.section("identity", identity, "What IDENTIFY DEVICE tells");
  visitor.section("geometry", geometry, "Recording layout");
  visitor.section("media", media, "Contents of the sectors");
  visitor.section("spindle", spindle, "Rotation of the disk stack");
  visitor.section("seek", seek, "Moves of the arm");
  visitor.section("buffer", buffer, "Buffer RAM");
  visitor.section("cache", cache, "What firmware does with the buffer");
  visitor.section("controller", controller, "System on chip");
  visitor.section("firmware", firmware, "Cost of the firmware's handlers");
  visitor.section("overheads", overheads, "What a command costs besides the handlers; other commands go on meanwhile");
  visitor.section("arbiter", arbiter, "Arm-arbitration unit");
}

}  // namespace armature::drive
