// Imported drives against DiskSim request by request: the measured traces replayed in a closed loop, our response
// beside the one that DiskSim 4.0 gave for the same request. Only moves to another place of the disk count, which no
// cache answers: seek, head, angle and transfer. Both loops lock to the turning disk, so a request that begins with the
// arm elsewhere (another reading ahead) is off by any part of a revolution, and the next one is in step again.
//
// DiskSim's parameter files, the traces and DiskSim's times are not part of this repository: they are looked for in the
// directory of the environment variable ARMATURE_REFERENCE, or in ../shared/reference beside the repository.
#include "armature/core/config.h"
#include "armature/importer/disksim.h"
#include "support/drive_bench.h"
#include "support/tree.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace armature {
namespace {

struct Replay {
  const char* name;
  const char* parameters;
  double bus_us;     // of the whole simulation, where it is not in the drive's file; 0: what was imported
  double within_ms;  // of DiskSim's response ...
  double reads;      // ... this share of the far reads at least
};

// C3323A: DiskSim's read hits take 0.589 ms and 0.1455 ms a sector, and the drive's file says 0 for the latter (its bus
// is in a file that is not shipped with it). It uses the bus when all of a request has been read (water mark 1): so its
// requests agree to 10 us. The others use it from the first sector on, and there the two differ by some sectors.
const Replay kReplays[] = {
    {"hp_c3323a", "hp_c3323a_validate", 145.5, 0.010, 0.9},
    {"atlas10k", "atlas10k", 0, 0.1, 0.8},
    {"ibm18es", "ibm18es", 0, 0.1, 0.9},
    {"barracuda", "barracuda", 0, 0.2, 0.9},
};

void PrintTo(const Replay& replay, std::ostream* out) {
  *out << replay.name;
}

struct Request {
  bool read;
  std::uint64_t lbn;
  std::uint32_t sectors;
  Ps disksim;
  Ps think;
};

/// Columns: i, rw, trace_action, lbn, sectors, measured_service_ms, simulated_response_ms, think_after_ms.
std::vector<Request> requests_of(const std::string& path) {
  std::vector<Request> requests;
  const gzFile file = gzopen(path.c_str(), "rb");
  char line[256];
  gzgets(file, line, sizeof line);
  while (gzgets(file, line, sizeof line) != nullptr) {
    char direction = 0, action[16];
    unsigned long long number = 0, lbn = 0;
    unsigned sectors = 0;
    double measured = 0, simulated = 0, think = 0;
    if (std::sscanf(line, "%llu,%c,%15[^,],%llu,%u,%lf,%lf,%lf", &number, &direction, action, &lbn, &sectors, &measured,
                    &simulated, &think) != 8)
      ADD_FAILURE() << line;
    requests.push_back({direction == 'R', lbn, sectors, from_ms(simulated), from_ms(think)});
  }
  gzclose(file);
  return requests;
}

/// Each request arrives when the one before it has completed and the host has thought.
class ClosedLoop final : public workload::Source {
 public:
  ClosedLoop(const std::vector<Request>& requests, std::vector<Ps>& responses)
      : requests_(requests), responses_(responses) {}

  Next next(workload::Request& request) override {
    if (at_ == requests_.size()) return Next::end;
    if (waiting_) return Next::after_completion;
    const Request& from = requests_[at_];
    request = from.read ? testing::read_request(arrival_, from.lbn, from.sectors)
                        : testing::write_request(arrival_, from.lbn, from.sectors);
    request.id = at_;
    waiting_ = true;
    return Next::request;
  }
  void completed(const workload::Request& request, Ps at) override {
    responses_.push_back(at - request.arrival);
    arrival_ = at + requests_[at_++].think;
    waiting_ = false;
  }

 private:
  const std::vector<Request>& requests_;
  std::vector<Ps>& responses_;
  std::size_t at_ = 0;
  Ps arrival_ = 0;
  bool waiting_ = false;
};

class ImportedDrive : public ::testing::TestWithParam<Replay> {};

TEST_P(ImportedDrive, ServesFarReadsInDiskSimsTime) {
  const Replay& replay = GetParam();
  const char* const set = std::getenv("ARMATURE_REFERENCE");
  const std::string directory = (set ? set : ARMATURE_SOURCE_DIR "/../shared/reference") + std::string("/disksim/");
  const std::string times = directory + "per_request/" + replay.name + "_per_request.csv.gz";
  const std::string parameters = directory + "parameters/" + replay.parameters + ".diskspecs";
  for (const std::string& file : {times, parameters})
    if (!std::filesystem::exists(file))
      GTEST_SKIP() << "no " << file << " (ARMATURE_REFERENCE says where the reference is)";

  const std::string path = ::testing::TempDir() + "imported-" + replay.name + ".toml";
  std::ofstream(path) << importer::import_disksim(parameters).text;
  config::Node file = config::load(path);
  std::filesystem::remove(path);
  testing::BenchParams params;
  config::read(file.take("host"), params.host);
  config::read(file.take("link"), params.link);
  config::read(file, params.drive);
  if (replay.bus_us > 0) params.link.bus_us_per_sector = replay.bus_us;

  const std::vector<Request> requests = requests_of(times);
  ASSERT_GT(requests.size(), 9'000u);
  std::vector<Ps> responses;
  ClosedLoop source(requests, responses);
  testing::DriveBench bench("bench", params, source);
  bench.keep = false;
  bench.run();
  ASSERT_EQ(responses.size(), requests.size());
  EXPECT_EQ(bench.failures(), 0u);

  double far = 0, near_disksim = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const Request& request = requests[i];
    const auto from_last = static_cast<std::int64_t>(request.lbn) -
                           static_cast<std::int64_t>(requests[i - 1].lbn + requests[i - 1].sectors);
    // A revolution is 6 ms or more: what comes sooner than a third of it was in the cache.
    if (!request.read || std::abs(from_last) < 2'000 || request.disksim < 2 * kPsPerMs) continue;
    ++far;
    near_disksim += std::abs(to_ms(responses[i] - request.disksim)) < replay.within_ms;
  }
  RecordProperty("far_reads", static_cast<int>(far));
  RecordProperty("share_near_disksim", std::to_string(near_disksim / far));
  EXPECT_GT(far, 2'000);
  EXPECT_GT(near_disksim / far, replay.reads);
}

INSTANTIATE_TEST_SUITE_P(Drives, ImportedDrive, ::testing::ValuesIn(kReplays),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace armature
