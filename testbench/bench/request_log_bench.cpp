// How long observe takes for a request: the row of requests.csv alone, and the whole of a request's accounts.
//   request_log_bench [requests]        prints nanoseconds of processor time; status 1 if a row takes 400 ns or more
#include "armature/observe/request_log.h"
#include "armature/observe/run_outputs.h"

#include <systemc>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace {

using armature::kPsPerUs;
using armature::Operation;
using armature::Phase;
using armature::Ps;
namespace observe = armature::observe;

constexpr double kLongestRowNs = 400;

/// Processor time of this process, s: other work on the machine does not count.
double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0, pages = 0;
  in >> total >> pages;
  return pages * 4096;
}

/// Times of the length that real ones have, different in each row.
observe::RequestRecord record_of(std::uint64_t i) {
  observe::RequestRecord record;
  record.id = i;
  record.lbn = i * 7'919 % 17'938'986;
  record.sectors = 8;
  record.tag = static_cast<std::uint32_t>(i % 32);
  record.accesses = 1;
  record.head = 3;
  record.cylinder = static_cast<std::uint32_t>(i % 10'042);
  record.seek_cylinders = 1'234;
  record.arrival = static_cast<Ps>(i) * 20'000'123'457;
  Ps sum = 0;
  for (std::size_t p = 0; p < armature::kPhases; ++p) {
    record.phases[p] = static_cast<Ps>((i * 2'654'435'761u + p * 40'503u) % 1'000'000'007);
    sum += record.phases[p];
  }
  record.completion = record.arrival + sum;
  record.predicted_positioning = record.positioning = record.phases[5] + record.phases[7];
  return record;
}

double log_ns(const std::filesystem::path& folder, std::uint64_t requests) {
  observe::RequestLog log(folder / "bench.csv");
  const double start = cpu_seconds();
  for (std::uint64_t i = 0; i < requests; ++i) {
    const observe::RequestRecord record = record_of(i);
    log.completed({record, {}, {}});
  }
  log.finish();
  return (cpu_seconds() - start) * 1e9 / static_cast<double>(requests);
}

/// A plain read as the drive publishes it: 15 events.
void play(observe::RequestTracker& tracker, std::uint64_t id, Ps start) {
  const auto tag = static_cast<std::uint32_t>(id % 32);
  Ps t = start;
  const auto after = [&t](Ps us) { return t += us * kPsPerUs + 123'457; };
  observe::Arrival arrival;
  arrival.id = id;
  arrival.at = t;
  arrival.sectors = 8;
  tracker.arrived(arrival);
  tracker.dispatched(id, tag, after(0));
  tracker.base(tag, Phase::firmware, after(1));
  tracker.base(tag, Phase::drive_queue, after(9));
  tracker.base(tag, Phase::arbitration, after(1));
  const Ps granted = after(1);
  tracker.base(tag, Phase::firmware, granted);
  tracker.granted(tag, 0, 9'000 * kPsPerUs, granted);
  tracker.media(tag, Phase::seek, after(6));
  tracker.media_done(tag, after(5'000 + static_cast<Ps>(id % 97)));
  const Ps go = after(5), first = after(3'000), done = after(150);
  tracker.access(tag, {0, 1, static_cast<std::uint32_t>(id % 10'000), 5'000, first, done});
  tracker.media(tag, Phase::rotation, go);
  tracker.media(tag, Phase::transfer, first);
  tracker.media_done(tag, done);
  tracker.link(tag, Phase::link_wait, after(5));
  tracker.link(tag, Phase::link_data, after(0));
  tracker.link_done(tag, after(15));
  tracker.base(tag, Phase::link_status, after(2));
  tracker.completed(tag, true, 0, after(1));
}

}  // namespace

int sc_main(int argc, char** argv) {
  const std::uint64_t requests = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::string pattern = (std::filesystem::temp_directory_path() / "armature-bench-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return 2;
  const std::filesystem::path folder = pattern;

  const double row = log_ns(folder, requests);

  observe::RunOptions options;
  options.directory = folder / "run";
  options.drives.push_back({"drive", "drive", 6'000 * kPsPerUs, 10'000, 1});
  double whole = 0, finish = 0, bytes = 0;
  {
    observe::RunOutputs outputs(options);
    for (std::uint64_t id = 0; id < 10'000; ++id) {
      play(outputs.tracker(0), id, static_cast<Ps>(id) * 10'000 * kPsPerUs);
    }
    const std::size_t before = resident_bytes();
    const double start = cpu_seconds();
    for (std::uint64_t id = 10'000; id < 10'000 + requests; ++id) {
      play(outputs.tracker(0), id, static_cast<Ps>(id) * 10'000 * kPsPerUs);
    }
    whole = (cpu_seconds() - start) * 1e9 / static_cast<double>(requests);
    bytes = static_cast<double>(resident_bytes() - before) / static_cast<double>(requests);
    const double end = cpu_seconds();
    outputs.finish({true, "", static_cast<Ps>(requests + 10'000) * 10'000 * kPsPerUs, 1});
    finish = cpu_seconds() - end;
  }
  std::filesystem::remove_all(folder);
  std::printf("a row of requests.csv       %8.1f ns (limit %.0f)\n", row, kLongestRowNs);
  std::printf("all accounts of a request   %8.1f ns, the row included\n", whole);
  std::printf("memory                      %8.2f bytes a request\n", bytes);
  std::printf("finish                      %8.3f s for %llu requests\n", finish,
              static_cast<unsigned long long>(requests));
  return row < kLongestRowNs ? 0 : 1;
}
