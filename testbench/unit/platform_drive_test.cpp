// The drive as a module of a platform: transactions, probes, results.
#define SC_INCLUDE_DYNAMIC_PROCESSES

#include "armature/platform/drive.h"
#include "support/tree.h"

#include <gtest/gtest.h>
#include <systemc>
#include <tlm>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

using armature::BlockExtension;
using armature::Drive;
using armature::DriveOptions;
using armature::DriveResults;
using armature::InputError;
using tlm::tlm_generic_payload;

constexpr const char* kCheetah = "drives/seagate_cheetah_15k3.toml";

DriveOptions options_of(const std::string& file) {
  DriveOptions options;
  options.file = file;
  options.data_folder = ARMATURE_SOURCE_DIR;
  return options;
}

/// A transaction with its data.
struct Access {
  tlm_generic_payload payload;
  std::vector<unsigned char> data;

  Access(tlm::tlm_command command, std::uint64_t address, unsigned bytes) : data(bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
  }
};

/// An initiator whose thread runs the test's body, and whose bodies of nb transport collect what has ended.
struct Host : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<> socket{"socket"};
  std::function<void(Host&)> body;
  std::vector<tlm_generic_payload*> ended;
  bool late_end = false;  ///< END_RESP comes later
  sc_core::sc_event answered;

  Host(sc_core::sc_module_name name, std::function<void(Host&)> with) : sc_module(name), body(std::move(with)) {
    socket.bind(*this);
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  void run() { body(*this); }
  tlm::tlm_response_status transfer(Access& access) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    access.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(access.payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    return access.payload.get_response_status();
  }
  void pause(double ms) { wait(ms, sc_core::SC_MS); }
  tlm::tlm_sync_enum nb_transport_bw(tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    ended.push_back(&payload);
    answered.notify(sc_core::SC_ZERO_TIME);
    return late_end ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Platform {
  Drive drive;
  Host host;
  Platform(const DriveOptions& options, std::function<void(Host&)> body)
      : drive("drive", options), host("host", std::move(body)) {
    host.socket.bind(drive.blocks());
  }
};

TEST(PlatformDrive, WhatWasWrittenComesBackAndEachRequestIsCounted) {
  Platform platform(options_of(kCheetah), [](Host& host) {
    Access write(tlm::TLM_WRITE_COMMAND, 1'000'000 * 512ull, 4096);
    std::iota(write.data.begin(), write.data.end(), std::uint8_t{3});
    EXPECT_EQ(host.transfer(write), tlm::TLM_OK_RESPONSE);
    Access flush(tlm::TLM_IGNORE_COMMAND, 0, 0);
    BlockExtension extension;
    extension.flush = true;
    flush.payload.set_extension(&extension);
    EXPECT_EQ(host.transfer(flush), tlm::TLM_OK_RESPONSE);
    flush.payload.clear_extension(&extension);
    Access read(tlm::TLM_READ_COMMAND, 1'000'000 * 512ull, 4096);
    EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(read.data, write.data);
    Access elsewhere(tlm::TLM_READ_COMMAND, 2'000'000 * 512ull, 512);
    EXPECT_EQ(host.transfer(elsewhere), tlm::TLM_OK_RESPONSE);
  });
  sc_core::sc_start(1, sc_core::SC_SEC);
  const DriveResults results = platform.drive.results();
  EXPECT_EQ(results.requests, 4u);
  EXPECT_EQ(results.reads, 2u);
  EXPECT_EQ(results.writes, 1u);
  EXPECT_EQ(results.flushes, 1u);
  EXPECT_EQ(results.failed, 0u);
  EXPECT_EQ(results.unfinished, 0u);
  EXPECT_EQ(results.bytes, 4096u + 4096u + 512u);
  EXPECT_GT(results.mean_response_s, 0);
  EXPECT_LE(results.median_response_s, results.max_response_s);
  double phases = 0;
  for (const auto& [name, seconds] : results.phases_s) phases += seconds;
  EXPECT_NEAR(phases, results.mean_response_s, 1e-12);
  EXPECT_EQ(results.until_s, 1);
}

TEST(PlatformDrive, ItsEnergyIsTheIntegralOfThePowerThatItsProbeShows) {
  DriveOptions options = options_of(kCheetah);
  options.probes = {"power.total"};
  double joules = 0, watts = 0, since = 0;
  Platform platform(options, [](Host& host) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      Access read(tlm::TLM_READ_COMMAND, (i * 7'919'111 % 60'000'000) * 512, 8192);
      EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
      host.pause(static_cast<double>(i));
    }
  });
  const auto& power = platform.drive.probe("power.total");
  const auto count = [&] {
    const double at = sc_core::sc_time_stamp().to_seconds();
    joules += watts * (at - since);
    watts = power.read();
    since = at;
  };
  sc_core::sc_spawn_options watch;
  watch.spawn_method();
  watch.set_sensitivity(&power.value_changed_event());
  sc_core::sc_spawn(count, "watch", &watch);
  sc_core::sc_start(700, sc_core::SC_MS);
  count();
  const DriveResults results = platform.drive.results();
  ASSERT_TRUE(results.energy_j);
  EXPECT_NEAR(*results.energy_j, joules, joules * 1e-9);
  EXPECT_GT(joules, 7) << "a Cheetah draws more than 10 W";
  double parts = 0;
  for (const auto& [name, part] : results.parts_j) parts += part;
  EXPECT_NEAR(parts, joules, joules * 1e-9);
}

TEST(PlatformDrive, AnArmsPositionIsASignal) {
  DriveOptions options = options_of(kCheetah);
  options.probes = {"disk.srv0.position"};
  double there = -1;
  Drive* drive = nullptr;
  Platform platform(options, [&](Host& host) {
    Access read(tlm::TLM_READ_COMMAND, 0, 512);
    EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(drive->probe("disk.srv0.position").read(), 0);
    Access far(tlm::TLM_READ_COMMAND, 60'000'000 * 512ull, 512);
    EXPECT_EQ(host.transfer(far), tlm::TLM_OK_RESPONSE);
    there = drive->probe("disk.srv0.position").read();
  });
  drive = &platform.drive;
  // Before the first SC_THREAD runs: ASan does not follow an exception on the main stack after that.
  EXPECT_THROW(platform.drive.probe("disk.srv0.target"), InputError);
  sc_core::sc_start(1, sc_core::SC_SEC);
  EXPECT_GT(there, 5'000);
}

TEST(PlatformDrive, TransactionsWithoutWaitingOverlapAndEachEndsOnce) {
  constexpr unsigned kMany = 100;  // more than the drive has tags
  std::vector<std::unique_ptr<Access>> accesses;
  for (unsigned i = 0; i < kMany; ++i)
    accesses.push_back(std::make_unique<Access>(tlm::TLM_READ_COMMAND, (i * 600'011ull) * 512, 512));
  std::size_t most_out = 0;
  Platform platform(options_of(kCheetah), [&](Host& host) {
    host.late_end = true;
    for (auto& access : accesses) {
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay(10, sc_core::SC_US);
      EXPECT_EQ(host.socket->nb_transport_fw(access->payload, phase, delay), tlm::TLM_UPDATED);
      EXPECT_EQ(phase, tlm::END_REQ);
    }
    for (unsigned i = 0; i < kMany; ++i) {
      if (host.ended.size() <= i) wait(host.answered);
      ASSERT_EQ(host.ended.size(), i + 1u) << "a response before the end of the one before";
      most_out = std::max(most_out, accesses.size() - i);
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      EXPECT_EQ(host.socket->nb_transport_fw(*host.ended[i], phase, delay), tlm::TLM_COMPLETED);
    }
  });
  sc_core::sc_start(3, sc_core::SC_SEC);
  EXPECT_EQ(platform.host.ended.size(), kMany);
  for (const auto& access : accesses) EXPECT_TRUE(access->payload.is_response_ok());
  EXPECT_EQ(platform.drive.results().requests, kMany);
  EXPECT_EQ(platform.drive.results().unfinished, 0u);
}

TEST(PlatformDrive, AWrongTransactionIsAResponseAndGoesToNoDrive) {
  Drive* drive = nullptr;
  Platform platform(options_of(kCheetah), [&](Host& host) {
    Access beyond(tlm::TLM_READ_COMMAND, drive->bytes() - 512, 1024);
    EXPECT_EQ(host.transfer(beyond), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    Access last(tlm::TLM_READ_COMMAND, drive->bytes() - 512, 512);
    EXPECT_EQ(host.transfer(last), tlm::TLM_OK_RESPONSE);
    Access wraps(tlm::TLM_READ_COMMAND, ~std::uint64_t{511}, 1024);
    EXPECT_EQ(host.transfer(wraps), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    Access odd(tlm::TLM_READ_COMMAND, 256, 512);
    EXPECT_EQ(host.transfer(odd), tlm::TLM_BURST_ERROR_RESPONSE);
    Access part(tlm::TLM_WRITE_COMMAND, 0, 100);
    EXPECT_EQ(host.transfer(part), tlm::TLM_BURST_ERROR_RESPONSE);
    Access streamed(tlm::TLM_WRITE_COMMAND, 0, 1024);
    streamed.payload.set_streaming_width(512);
    EXPECT_EQ(host.transfer(streamed), tlm::TLM_BURST_ERROR_RESPONSE);
    Access enabled(tlm::TLM_WRITE_COMMAND, 0, 512);
    unsigned char enables = 0xFF;
    enabled.payload.set_byte_enable_ptr(&enables);
    enabled.payload.set_byte_enable_length(1);
    EXPECT_EQ(host.transfer(enabled), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    Access ignored(tlm::TLM_IGNORE_COMMAND, 0, 512);
    EXPECT_EQ(host.transfer(ignored), tlm::TLM_COMMAND_ERROR_RESPONSE);
    Access looked_at(tlm::TLM_READ_COMMAND, 0, 512);
    EXPECT_EQ(host.socket->transport_dbg(looked_at.payload), 0u);
  });
  drive = &platform.drive;
  sc_core::sc_start(1, sc_core::SC_SEC);
  EXPECT_EQ(platform.drive.results().requests, 1u);
}

TEST(PlatformDrive, ASectorThatCannotBeReadIsAGenericError) {
  DriveOptions options = options_of(kCheetah);
  options.settings = {"faults=[{kind=\"media_defect\", lbn=1000, sectors=1}]"};
  Platform platform(options, [](Host& host) {
    Access read(tlm::TLM_READ_COMMAND, 1000 * 512, 512);
    EXPECT_EQ(host.transfer(read), tlm::TLM_GENERIC_ERROR_RESPONSE);
  });
  sc_core::sc_start(5, sc_core::SC_SEC);
  EXPECT_EQ(platform.drive.results().failed, 1u);
  EXPECT_EQ(platform.drive.results().bytes, 0u);
}

TEST(PlatformDrive, ARequestWaitsForASupplyThatComesBack) {
  Drive* drive = nullptr;
  Platform platform(options_of(kCheetah), [&](Host& host) {
    drive->power_off();
    Access read(tlm::TLM_READ_COMMAND, 0, 512);
    sc_core::sc_spawn([&] {
      host.pause(50);
      drive->power_on();
    });
    EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
    EXPECT_GT(sc_core::sc_time_stamp(), sc_core::sc_time(50, sc_core::SC_MS));
  });
  drive = &platform.drive;
  sc_core::sc_start(60, sc_core::SC_SEC);
  EXPECT_EQ(platform.drive.results().requests, 1u);
}

TEST(PlatformDrive, AFaultOfTheSupplyComesWithTheRequestThatItIsSaidToComeWith) {
  DriveOptions options = options_of(kCheetah);
  options.settings = {"faults=[{kind=\"power_cut\", at_request=2, for_ms=70}]"};
  std::vector<double> seconds;
  Platform platform(options, [&](Host& host) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      const double before = sc_core::sc_time_stamp().to_seconds();
      Access read(tlm::TLM_READ_COMMAND, i * 1'000'000 * 512, 512);
      EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
      seconds.push_back(sc_core::sc_time_stamp().to_seconds() - before);
    }
  });
  sc_core::sc_start(60, sc_core::SC_SEC);
  ASSERT_EQ(seconds.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(seconds[i] > 0.07, i == 2) << "request " << i << ": " << seconds[i] << " s";
}

TEST(PlatformDrive, AFaultOfTheLinkDamagesItsFrames) {
  DriveOptions options = options_of(kCheetah);
  options.settings = {"faults=[{kind=\"link_crc\", at_request=1, count=100000}]"};
  Platform platform(options, [&](Host& host) {
    Access read(tlm::TLM_READ_COMMAND, 0, 512);
    EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
  });
  sc_core::sc_start(1, sc_core::SC_SEC);
  EXPECT_EQ(platform.drive.results().requests, 2u);
  EXPECT_GT(platform.drive.results().max_response_s, 0.04) << "100,000 frames of 0.4 us and more, sent again";
}

TEST(PlatformDrive, AStoreAndAScenariosDriveAreDrivesToo) {
  DriveOptions store = options_of("scenarios/mems.toml");
  store.file = std::string(ARMATURE_SOURCE_DIR) + "/scenarios/mems.toml";
  DriveOptions two = options_of("quickstart.toml");
  EXPECT_THROW(Drive("several", two), InputError);
  two.drive = "nobody";
  EXPECT_THROW(Drive("none", two), InputError);
  Platform platform(store, [](Host& host) {
    Access write(tlm::TLM_WRITE_COMMAND, 40'960, 1024);
    std::iota(write.data.begin(), write.data.end(), std::uint8_t{1});
    EXPECT_EQ(host.transfer(write), tlm::TLM_OK_RESPONSE);
    Access read(tlm::TLM_READ_COMMAND, 40'960, 1024);
    EXPECT_EQ(host.transfer(read), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(read.data, write.data);
  });
  sc_core::sc_start(1, sc_core::SC_SEC);
  EXPECT_EQ(platform.drive.results().requests, 2u);
}

TEST(PlatformDrive, WhatIsWrongInItsOptionsIsSaid) {
  const auto message = [](const DriveOptions& options) -> std::string {
    try {
      Drive drive(sc_core::sc_gen_unique_name("drive"), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  DriveOptions options = options_of(kCheetah);
  options.probes = {"disk.srv0.positon"};
  EXPECT_NE(message(options).find("disk.srv0.positon"), std::string::npos);
  options.probes = {"disk.srv0.state"};
  EXPECT_NE(message(options).find("disk.srv0.state"), std::string::npos);
  options.probes.clear();
  options.settings = {"spindle.rmp=7200"};
  EXPECT_NE(message(options).find("rpm"), std::string::npos) << message(options);
  EXPECT_NE(message(options_of("drives/none.toml")).find("none.toml"), std::string::npos);
  EXPECT_NE(message(options_of("")).find("DriveOptions::file"), std::string::npos);
}

}  // namespace
