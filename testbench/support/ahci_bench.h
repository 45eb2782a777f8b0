#pragma once

#include "armature/ahci/controller.h"
#include "armature/drive/hard_disk.h"
#include "armature/sata/link.h"
#include "support/ahci_driver.h"
#include "support/host_ram.h"
#include "support/link_monitor.h"

#include <gtest/gtest.h>

namespace armature::testing {

inline constexpr std::uint64_t kRamBase = 0x1'0000'0000;  // above 4 GiB: the upper halves of addresses count
inline constexpr std::size_t kRamBytes = 0x300'0000;

/// A driver, an AHCI controller with one port, a link and a drive. A protocol monitor sits at both ends of the link; it
/// fails the test if a frame breaks a rule, unless the test sends PIO data to the drive, which the rules do not have.
struct AhciBench {
  explicit AhciBench(const drive::DriveParams& params, const ahci::AhciParams& ahci_params = {},
                     const BlockContext& context = {}, bool monitored = true)
      : host_end("host_end", ProtocolRules::Place::host_end, 32, monitored),
        drive_end("drive_end", ProtocolRules::Place::drive_end, 32, monitored),
        controller("ahci", 1, ahci_params, context),
        link("link", link_params(), context),
        disk("disk", params, 32, context),
        driver("driver", ram, 0, kRamBase) {
    driver.registers.bind(controller.registers);
    controller.memory.bind(ram.socket);
    controller.on_message = [this] { driver.interrupt(); };
    ahci::Port& port = controller.port(0);
    port.set_line_rate(link_params().rate_gbps);
    connect_monitored(port, host_end, link, drive_end, disk);
  }

  static sata::LinkParams link_params() {
    sata::LinkParams params;
    params.rate_gbps = 6;
    return params;
  }

  HostRam ram{"ram", kRamBase, kRamBytes};
  LinkMonitor host_end;
  LinkMonitor drive_end;
  ahci::Controller controller;
  sata::Link link;
  drive::HardDisk disk;
  AhciDriver driver;
};

}  // namespace armature::testing
