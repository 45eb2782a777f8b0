// The controller, its firmware and the host behind which nothing turns: contents, times that the host's oracle is told,
// waves, energy and report of a drive with another mechanism.
#include "support/constant_mechanism.h"
#include "armature/core/clock_edges.h"
#include "armature/core/kernel_time.h"
#include "armature/drive/drive.h"
#include "armature/host/contents_check.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/link.h"
#include "support/contents_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace armature::testing {
namespace {

using ::testing::HasSubstr;

constexpr double kSeekWatts = 3, kHoldWatts = 0.5, kTransferWatts = 1.25;

std::filesystem::path scratch(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("armature_constant_" + name + std::to_string(::getpid()));
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

observe::RunOptions options(const std::filesystem::path& directory) {
  power::PowerTable table;
  table.components.push_back({"disk.srv0",
                              power::Share::arm,
                              0,
                              {{"hold", {power::Load::constant("sled", power::Rail::v5, kHoldWatts)}},
                               {"seek", {power::Load::constant("sled", power::Rail::v5, kSeekWatts)}}}});
  table.components.push_back(
      {"disk.chn0",
       power::Share::channel,
       0,
       {{"idle", {}}, {"transfer", {power::Load::constant("tips", power::Rail::v5, kTransferWatts)}}}});
  observe::RunOptions made;
  made.directory = directory;
  made.scenario = "constant";
  observe::DriveDescription drive;
  drive.name = "store";
  drive.title = "A store without a disk";
  drive.cylinders = 10'000;
  drive.energy = observe::EnergyOptions{table};
  made.drives.push_back(drive);
  made.waves.on = true;
  return made;
}

/// Host, link and a drive with the constant mechanism, as the application puts a drive together.
struct StoreBench final : host::RequestListener {
  StoreBench(const drive::CommonParams& params, const host::HostParams& host, workload::Source& source,
             const std::filesystem::path& directory)
      : outputs(options(directory)), top("store", params, host, source, *this, outputs.context(0)) {}

  struct Top : sc_core::sc_module {
    Top(sc_core::sc_module_name name, const drive::CommonParams& params, const host::HostParams& host_params,
        workload::Source& source, host::RequestListener& listener, const BlockContext& context)
        : sc_module(name),
          adapter("adapter", host_params, context),
          link("link", {}, context),
          disk(
              "disk", params, static_cast<unsigned>(host_params.tags), 512,
              [&](const std::string&, unsigned slots) {
                auto made = std::make_unique<ConstantMechanism>(ConstantStore{}, params, slots, context);
                mechanism = made.get();
                return made;
              },
              context),
          queue("host", host_params, source, adapter,
                {&disk.positions(), link.timing().arrival(5) + disk.command_lead_time(Operation::read)}, &listener,
                context) {
      adapter.to_link.bind(link.from_host);
      link.to_drive.bind(disk.from_link());
      disk.to_link().bind(link.from_drive);
      link.to_host.bind(adapter.from_link);
    }
    host::HostBusAdapter adapter;
    sata::Link link;
    ConstantMechanism* mechanism = nullptr;
    drive::Drive disk;
    host::HostQueue queue;
  };

  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(top.queue.finished());
    EXPECT_FALSE(top.disk.failed());
    outputs.drive_finished(0, now());
    outputs.finish({true, "", now(), 0.1});
  }

  observe::RunOutputs outputs;
  Top top;

  void arrived(const workload::Request& r, Ps at) override {
    outputs.tracker(0).arrived({r.id, at, r.lbn, r.sectors, r.operation, r.device, r.fua});
  }
  void dispatched(const workload::Request& r, unsigned tag, Ps at) override {
    outputs.tracker(0).dispatched(r.id, tag, at);
  }
  void completed(const workload::Request&, unsigned tag, const host::CommandStatus& status, Ps at) override {
    outputs.tracker(0).completed(tag, status.ok, status.error, at);
  }
};

drive::CommonParams with_caches(bool on) {
  drive::CommonParams params;
  params.cache.write = params.cache.look_ahead = on;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
  return params;
}

class ConstantMechanismContents : public ::testing::TestWithParam<bool> {};

TEST_P(ConstantMechanismContents, EveryReadBringsWhatWasWritten) {
  ContentsLoad::Params load_params;
  load_params.count = 4'000;
  load_params.sectors = ConstantStore{}.sectors;
  load_params.hot_first = 30'000;
  load_params.hot_sectors = 3'000;
  ContentsLoad load(load_params);
  host::ContentsCheck check({});
  StoreBench bench(with_caches(GetParam()), {}, load, scratch("contents"));
  bench.top.queue.set_data_port(check);
  bench.run();
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GT(check.sectors_compared(), 50'000u);
  check.power_lost();
  std::uint8_t bytes[512];
  for (std::uint64_t lbn = load_params.hot_first; lbn < load_params.hot_first + load_params.hot_sectors; ++lbn)
    check.acceptable(lbn, bytes, bench.top.disk.contents().read(lbn, bytes));
  EXPECT_EQ(check.mismatches(), 0u) << "on the medium";
}

INSTANTIATE_TEST_SUITE_P(Caches, ConstantMechanismContents, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "on" : "off"; });

/// Keeps what the tracker says of each request.
struct Records final : observe::RequestSink {
  unsigned follows() const override { return kEndsOnly; }
  void completed(const observe::CompletedRequest& request) override { records.push_back(request.record); }
  std::vector<observe::RequestRecord> records;
};

TEST(ConstantMechanism, ItsTimesEnergyWavesAndReportAreItsOwn) {
  const std::filesystem::path directory = scratch("own");
  ContentsLoad::Params load_params;
  load_params.count = 500;
  load_params.sectors = ConstantStore{}.sectors;
  load_params.hot_sectors = 200;
  load_params.outstanding = 8;
  ContentsLoad load(load_params);
  host::HostParams host;
  host.policy = host::Policy::sptf;  // asks the oracle
  host.depth = 1;
  StoreBench bench(with_caches(false), host, load, directory);
  Records records;
  bench.outputs.tracker(0).add_sink(records);
  bench.run();
  const ConstantStore store;
  const ConstantMechanism& mechanism = *bench.top.mechanism;

  // The phases of the requests: each positioning takes the constant time, nothing turns.
  Ps seeking = 0, transferring = 0;
  for (const observe::RequestRecord& record : records.records) {
    const auto phase = [&](Phase p) { return record.phases[static_cast<std::size_t>(p)]; };
    EXPECT_EQ(phase(Phase::rotation), 0) << record.id;
    EXPECT_EQ(phase(Phase::seek) % store.positioning, 0) << record.id;
    EXPECT_EQ(phase(Phase::transfer) % store.sector_time, 0) << record.id;
    seeking += phase(Phase::seek);
    transferring += phase(Phase::transfer);
  }
  EXPECT_EQ(seeking, mechanism.moves() * store.positioning);
  EXPECT_GT(mechanism.moves(), 300u);
  EXPECT_EQ(transferring, static_cast<Ps>(mechanism.sectors_passed()) * store.sector_time);

  const double seconds = to_seconds(now()), seek_s = to_seconds(seeking), transfer_s = to_seconds(transferring);
  const double joules = kHoldWatts * (seconds - seek_s) + kSeekWatts * seek_s + kTransferWatts * transfer_s;
  EXPECT_NEAR(power::shares_to_joules(bench.outputs.ledger(0)->energy()), joules, 1e-9 * joules);
  EXPECT_THAT(text_of(directory / "report.html"), HasSubstr("A store without a disk"));
  EXPECT_GT(std::filesystem::file_size(directory / "waves.fst"), 1'000u);

  // What the oracle says is the time from the arm's start to the start of its channel.
  const PositionModel& positions = bench.top.disk.positions();
  const drive::CommonParams params;
  const Ps clock = params.controller.cpu_period();
  EXPECT_EQ(positions.positioning_time(positions.place(12'345), Operation::read, 400 * clock),
            ClockEdges(clock).next_time(store.positioning) + params.firmware.handler_cycles(FW_IRQ_SRV0) * clock);
}

}  // namespace
}  // namespace armature::testing
