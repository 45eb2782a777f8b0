// Drives of a platform behind an AHCI controller, and behind nothing but their link.
#define SC_INCLUDE_DYNAMIC_PROCESSES

#include "armature/core/kernel_time.h"
#include "armature/platform/ahci_controller.h"
#include "armature/platform/sata_drive.h"
#include "support/ahci_driver.h"
#include "support/scripted_host.h"
#include "support/tree.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <numeric>
#include <string>
#include <vector>

namespace armature::platform_fronts_test {
namespace {

using armature::AhciController;
using armature::DriveOptions;
using armature::DriveResults;
using armature::InputError;
using armature::SataDrive;
using armature::testing::AhciDriver;

DriveOptions options_of(const std::string& file) {
  DriveOptions options;
  options.file = file;
  options.data_folder = ARMATURE_SOURCE_DIR;
  return options;
}

constexpr std::uint64_t kRam = 0x1'0000'0000;

/// A host with two drives at an AHCI controller.
struct Ahci {
  armature::testing::HostRam ram{"ram", kRam, 0x600'0000};
  AhciController controller;
  AhciDriver first{"first", ram, 0, kRam}, second{"second", ram, 1, kRam + 0x300'0000};

  explicit Ahci(const std::vector<DriveOptions>& drives) : controller("ahci", drives) {
    controller.memory().bind(ram.socket);
    first.registers.bind(bus.host);
    second.registers.bind(bus.host_too);
    bus.registers.bind(controller.registers());
    controller.on_message = [this] {
      ++messages;
      first.interrupt();
      second.interrupt();
    };
  }

  /// Two initiators, one target.
  struct Bus : sc_core::sc_module {
    tlm_utils::simple_target_socket<Bus> host{"host"}, host_too{"host_too"};
    tlm_utils::simple_initiator_socket<Bus> registers{"registers"};
    explicit Bus(sc_core::sc_module_name name) : sc_module(name) {
      host.register_b_transport(this, &Bus::pass);
      host_too.register_b_transport(this, &Bus::pass);
    }
    void pass(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
      registers->b_transport(transaction, delay);
    }
  } bus{"bus"};
  unsigned messages = 0;
};

TEST(PlatformAhci, ADriverReadsWhatItWroteAndEachDriveCountsItsRequests) {
  std::vector<DriveOptions> drives(2, options_of("drives/seagate_cheetah_15k3.toml"));
  drives[1].settings = {"cache.write = true"};
  drives[1].probes = {"disk.srv0.position", "power.total"};
  Ahci host(drives);
  ASSERT_EQ(host.controller.ports(), 2u);
  ASSERT_TRUE(host.first.start());
  ASSERT_TRUE(host.second.start(/*reset_controller=*/false));
  std::vector<std::uint8_t> data(16 * 512);
  std::iota(data.begin(), data.end(), std::uint8_t{5});
  ASSERT_TRUE(host.second.run(AhciDriver::dma_write(1'000'000, 16, data.data())).ok);
  const AhciDriver::Result read = host.second.run(AhciDriver::dma_read(1'000'000, 16));
  ASSERT_TRUE(read.ok);
  EXPECT_EQ(read.data, data);
  EXPECT_GT(host.messages, 0u);
  const DriveResults none = host.controller.drive(0).results(), two = host.controller.drive(1).results();
  EXPECT_EQ(none.requests, 0u);
  EXPECT_EQ(two.requests, 2u);
  EXPECT_EQ(two.writes, 1u);
  EXPECT_EQ(two.failed, 0u);
  EXPECT_EQ(two.unfinished, 0u);
  EXPECT_EQ(two.bytes, 2u * 16 * 512);
  double phases = 0;
  for (const auto& [name, seconds] : two.phases_s) phases += seconds;
  EXPECT_NEAR(phases, two.mean_response_s, 1e-12);
  EXPECT_GT(two.energy_j.value(), 0);
  EXPECT_GT(host.controller.drive(1).probe("power.total").read(), 0);
  EXPECT_EQ(host.controller.drive(1).sector_bytes(), 512u);
}

TEST(PlatformAhci, ADriveWhoseSupplyComesBackIsFoundAgain) {
  Ahci host({2, options_of("drives/seagate_cheetah_15k3.toml")});
  ASSERT_TRUE(host.first.start());
  host.controller.drive(0).power_off();
  host.controller.drive(0).power_off();  // it has none already
  sc_core::sc_start(1, sc_core::SC_MS);
  host.controller.drive(0).power_on();
  sc_core::sc_start(1, sc_core::SC_MS);
  ASSERT_TRUE(host.first.reset_and_start());
  EXPECT_TRUE(host.first.run(AhciDriver::dma_read(0, 8)).ok);
  EXPECT_EQ(host.controller.drive(0).results().reads, 1u);
}

TEST(PlatformAhci, WhatIsWrongInAnOptionIsTold) {
  const auto message = [](const std::vector<DriveOptions>& drives, const armature::AhciOptions& options) {
    try {
      AhciController controller(sc_core::sc_gen_unique_name("ahci"), drives, options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const DriveOptions cheetah = options_of("drives/seagate_cheetah_15k3.toml");
  EXPECT_NE(message({}, {}).find("1 to 8 drives"), std::string::npos);
  EXPECT_NE(message({9, cheetah}, {}).find("not 9"), std::string::npos);
  EXPECT_NE(message({cheetah, options_of("drives/none.toml")}, {}).find("none.toml"), std::string::npos);
  armature::AhciOptions slow;
  slow.bandwidth_mb_s = 0;
  EXPECT_NE(message({cheetah}, slow).find("bandwidth"), std::string::npos);
}

TEST(PlatformSata, AHostOfFramesIsAnswered) {
  DriveOptions options = options_of("drives/seagate_cheetah_15k3.toml");
  options.probes = {"disk.srv0.position"};
  SataDrive drive("drive", options);
  armature::testing::ScriptedHost host("host");
  host.to_link.bind(drive.from_host());
  drive.to_host().bind(host.from_link);
  sc_core::sc_start(1, sc_core::SC_SEC);
  host.clear();
  host.unqueued(armature::sata::Command::read_dma_ext, 5'000'000, 16);
  sc_core::sc_start(100, sc_core::SC_MS);
  EXPECT_EQ(host.data().size(), 16u * 512);
  const auto status = parse_register_d2h(host.last(armature::sata::FrameType::register_d2h)).status;
  EXPECT_EQ(status & 0x81u, 0u) << "neither busy nor an error";
  EXPECT_GT(drive.probe("disk.srv0.position").read(), 0) << "the arm has moved";
  host.clear();
  host.unqueued(armature::sata::Command::identify_device, 0, 0);
  sc_core::sc_start(1, sc_core::SC_MS);
  std::uint64_t capacity = 0;
  for (std::size_t i = 0; i < 8; ++i) capacity |= std::uint64_t{host.data().at(200 + i)} << 8 * i;
  // A block has the address that the host gave it: the last ones are there, and nothing beyond them.
  for (const bool beyond : {false, true}) {
    host.clear();
    host.unqueued(armature::sata::Command::read_dma_ext, capacity - (beyond ? 15 : 16), 16);
    sc_core::sc_start(200, sc_core::SC_MS);
    const auto ended = parse_register_d2h(host.last(armature::sata::FrameType::register_d2h));
    EXPECT_EQ(ended.status & 0x81u, beyond ? 1u : 0u);
    EXPECT_EQ(ended.error, beyond ? 0x10u : 0u) << "IDNF";
  }
  const DriveResults results = drive.results();
  EXPECT_EQ(results.requests, 0u) << "what is a request is the host's";
  EXPECT_GT(results.energy_j.value(), 0);
  EXPECT_DOUBLE_EQ(results.until_s, 1.501);
}

}  // namespace
}  // namespace armature::platform_fronts_test
