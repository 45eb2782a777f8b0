// Every key of the sections cache, buffer and overheads has an effect: with another value some requests of a short list
// spend their time otherwise. A key that is added needs a row here.
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace armature::key_effects_test {
namespace {

using testing::BenchParams;
using testing::DriveBench;
using testing::ListSource;
using Cache = controller::CacheParams;
using Requests = std::vector<workload::Request>;

constexpr Ps kStart = 20 * kPsPerMs;
constexpr Ps kApart = 100 * kPsPerMs;  // the drive has come to rest meanwhile

workload::Request read(std::uint64_t lbn, std::uint32_t sectors) {
  return testing::read_request(0, lbn, sectors);
}
workload::Request write(std::uint64_t lbn, std::uint32_t sectors) {
  return testing::write_request(0, lbn, sectors);
}
workload::Request flush() {
  workload::Request request;
  request.operation = Operation::flush;
  return request;
}
Requests apart(Requests requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = kStart + static_cast<Ps>(i) * kApart;
  return requests;
}
/// While the drive reads ahead behind the one before.
Requests soon(Requests requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].arrival = kStart + static_cast<Ps>(i) * 5 * kPsPerMs;
  return requests;
}
Requests at_once(Requests requests) {
  for (auto& request : requests) request.arrival = kStart;
  return requests;
}
/// Each of a line of its own, at places that neither fall nor rise.
Requests scattered(unsigned count) {
  Requests writes;
  for (unsigned i = 0; i < count; ++i) writes.push_back(write(std::uint64_t{i} * 7'919 % 35'000 / 8 * 8, 8));
  return writes;
}
Requests followed_by(Requests requests, const Requests& others) {
  requests.insert(requests.end(), others.begin(), others.end());
  return requests;
}

struct Row {
  Requests requests;
  void (*set)(BenchParams&);                         ///< the key's other value
  void (*base)(BenchParams&) = [](BenchParams&) {};  ///< what must be so that it counts
};

using P = BenchParams;
void slow_bus(P& p) {
  p.link.bus_us_per_sector = 300;
}
void ring_of_a_track(P& p) {
  p.drive.buffer.size_kib = 204 + 64;
  p.drive.buffer.write_share = 0.24;
  p.drive.cache.read_ahead = Cache::segment;
  p.drive.cache.read_ahead_sectors = 100;
}
void from_second(P& p) {
  p.drive.cache.read_ahead_from = Cache::second;
}
void late(P& p) {
  p.drive.cache.destage_idle_ms = 2'000;
}
void long_past(P& p) {
  p.drive.cache.write_bypass_kib = 16;
}
void no_write_cache(P& p) {
  p.drive.cache.write = false;
  p.drive.buffer.write_share = 0;
}
void one_by_one(P& p) {
  late(p);
  p.drive.cache.destage_candidates = 1;
}

const std::map<std::string, Row>& rows() {
  static const Requests kKinds =
      apart({read(10, 8), read(30, 8), write(7'000, 8), read(50, 8), write(9'000, 8), write(9'500, 8),
             write(20'000, 400), write(15'000, 400), read(30'000, 8), write(25'000, 400), read(40, 8)});
  static const Requests kRuns = apart({write(1'000, 60), write(1'060, 60)});
  static const std::map<std::string, Row> all = {
      {"cache.write", {kKinds, [](P& p) { p.drive.cache.write = false; }}},
      {"cache.look_ahead", {kKinds, [](P& p) { p.drive.cache.look_ahead = false; }}},
      {"cache.read_on_arrival", {apart({read(0, 90)}), [](P& p) { p.drive.cache.read_on_arrival = true; }}},
      {"cache.hardware_hits", {kKinds, [](P& p) { p.drive.cache.hardware_hits = true; }}},
      {"cache.read_ahead",
       {apart({read(10, 4), read(150, 4)}), [](P& p) { p.drive.cache.read_ahead = Cache::segment; }}},
      {"cache.read_ahead_from", {apart({read(10, 4), read(14, 4)}), from_second}},
      {"cache.read_ahead_sectors",
       {apart({read(10, 4), read(60, 4)}), [](P& p) { p.drive.cache.read_ahead_sectors = 20; }}},
      {"cache.minimum_read_ahead_sectors",
       {{testing::read_request(kStart, 4, 4), testing::read_request(kStart + kPsPerMs / 10, 9'000, 4),
         testing::read_request(kStart + kApart, 20, 4)},
        [](P& p) { p.drive.cache.minimum_read_ahead_sectors = 60; }}},
      {"cache.read_ahead_on_hit",
       {apart({read(10, 4), read(14, 4), read(150, 4)}), [](P& p) { p.drive.cache.read_ahead_on_hit = true; }}},
      {"cache.keep_requested",
       {apart({read(4, 4), read(4, 4)}), [](P& p) { p.drive.cache.keep_requested = true; }, ring_of_a_track}},
      {"cache.written_segment",
       {apart({read(4, 4), write(60, 8), read(40, 4)}), [](P& p) { p.drive.cache.written_segment = Cache::nothing; }}},
      {"cache.drop_near",
       {apart({read(10, 4), write(0, 4), read(40, 4)}), [](P& p) { p.drive.cache.drop_near = Cache::same_track; }}},
      {"cache.keep_written",
       {apart({write(1'003, 20), read(1'005, 8)}), [](P& p) { p.drive.cache.keep_written = true; }}},
      {"cache.write_stops_read_ahead",
       {{testing::read_request(kStart, 4, 4), testing::write_request(kStart + 4 * kPsPerMs, 20'000, 8),
         testing::read_request(kStart + kApart, 60, 4)},
        [](P& p) { p.drive.cache.write_stops_read_ahead = true; },
        late}},
      {"cache.free_reads", {apart({read(60, 4), read(50, 4)}), [](P& p) { p.drive.cache.free_reads = true; }}},
      {"cache.read_watermark", {apart({read(40, 20)}), [](P& p) { p.drive.cache.read_watermark = 0; }, slow_bus}},
      {"cache.write_watermark",
       {apart({write(30, 60)}), [](P& p) { p.drive.cache.write_watermark = 0; },
        [](P& p) {
          p.link.bus_us_per_sector = 90;
          p.drive.cache.write = false;
          p.drive.buffer.write_share = 0;
        }}},
      {"cache.write_watermark_track_sectors",
       {apart({write(30, 60)}), [](P& p) { p.drive.cache.write_watermark_track_sectors = 1; },
        [](P& p) {
          p.link.bus_us_per_sector = 90;
          p.drive.cache.write_watermark = 0;
          p.drive.cache.write = false;
          p.drive.buffer.write_share = 0;
        }}},
      // 40 of 64 lines are in use: a flush has all of them to write, or those below the low mark.
      {"cache.high_water",
       {followed_by(at_once(scattered(40)),
                    [] {
                      Requests last = apart({read(0, 1), flush()});
                      last.erase(last.begin());
                      last[0].arrival = kStart + 20 * kApart;
                      return last;
                    }()),
        [](P& p) { p.drive.cache.high_water = 0.5; }, one_by_one}},
      {"cache.low_water",
       {followed_by(at_once(scattered(60)),
                    [] {
                      Requests last = apart({read(0, 1), flush()});
                      last.erase(last.begin());
                      last[0].arrival = kStart + 20 * kApart;
                      return last;
                    }()),
        [](P& p) { p.drive.cache.low_water = 0.2; }, one_by_one}},
      {"cache.destage_idle_ms", {apart({write(1'000, 8), flush()}), late}},
      {"cache.write_extents",
       {at_once({write(1'000, 8), write(9'000, 8), write(5'000, 8)}), [](P& p) { p.drive.cache.write_extents = 2; },
        late}},
      {"cache.write_bypass", {at_once({write(1'000, 300)}), [](P& p) { p.drive.cache.write_bypass = 0.25; }, late}},
      {"cache.write_bypass_kib",
       {at_once({write(1'000, 64)}), [](P& p) { p.drive.cache.write_bypass_kib = 16; }, late}},
      {"cache.destage_order",
       {followed_by(at_once(scattered(30)), at_once({flush()})),
        [](P& p) { p.drive.cache.destage_order = Cache::ascending; }, one_by_one}},
      {"cache.destage_candidates",
       {followed_by(at_once(scattered(30)), at_once({flush()})), [](P& p) { p.drive.cache.destage_candidates = 1; },
        late}},
      // The fifth read takes the segment of the first; a smaller one reads less ahead.
      {"buffer.segments",
       {apart({read(1'000, 4), read(3'000, 4), read(5'000, 4), read(7'000, 4), read(9'000, 4), read(1'000, 4)}),
        [](P& p) { p.drive.buffer.segments = 6; }}},
      {"buffer.size", {apart({read(10, 4), read(97, 3)}), [](P& p) { p.drive.buffer.size_kib = 256; }}},
      {"buffer.write_share", {at_once(scattered(80)), [](P& p) { p.drive.buffer.write_share = 0.5; }, late}},
      // The media take 5.12 MB/s of it.
      {"buffer.bandwidth_mb_s", {kKinds, [](P& p) { p.drive.buffer.bandwidth_mb_s = 20; }}},
      {"overheads.read_hit_us", {kKinds, [](P& p) { p.drive.overheads.read_hit_us = 100; }}},
      {"overheads.read_hit_after_write_us", {kKinds, [](P& p) { p.drive.overheads.read_hit_after_write_us = 100; }}},
      {"overheads.read_miss_us", {kKinds, [](P& p) { p.drive.overheads.read_miss_us = 100; }}},
      {"overheads.read_miss_after_write_us", {kKinds, [](P& p) { p.drive.overheads.read_miss_after_write_us = 100; }}},
      {"overheads.write_hit_us", {kKinds, [](P& p) { p.drive.overheads.write_hit_us = 100; }}},
      {"overheads.write_hit_after_write_us", {kKinds, [](P& p) { p.drive.overheads.write_hit_after_write_us = 100; }}},
      {"overheads.write_miss_us", {kKinds, [](P& p) { p.drive.overheads.write_miss_us = 100; }, long_past}},
      {"overheads.write_miss_after_write_us",
       {kKinds, [](P& p) { p.drive.overheads.write_miss_after_write_us = 100; }, long_past}},
      {"overheads.write_sequential_us",
       {kRuns, [](P& p) { p.drive.overheads.write_sequential_us = 100; }, no_write_cache}},
      {"overheads.write_data_us", {kRuns, [](P& p) { p.drive.overheads.write_data_us = 20'000; }, no_write_cache}},
      {"overheads.write_last_data_us",
       {kRuns, [](P& p) { p.drive.overheads.write_last_data_us = 20'000; }, no_write_cache}},
      {"overheads.read_hit_track_sector_us", {kKinds, [](P& p) { p.drive.overheads.read_hit_track_sector_us = 1; }}},
      {"overheads.end_read_ahead_us",
       {soon({read(10, 4), read(5'000, 4)}), [](P& p) { p.drive.overheads.end_read_ahead_us = 100; }}},
      {"overheads.read_completion_us", {kKinds, [](P& p) { p.drive.overheads.read_completion_us = 100; }}},
      {"overheads.write_completion_us", {kKinds, [](P& p) { p.drive.overheads.write_completion_us = 100; }}},
  };
  return all;
}

/// Names of keys.
class Names final : public KeyVisitor {
 public:
  std::set<std::string> found;

  template <class Params>
  void collect(const char* section) {
    section_ = section;
    Params params;
    params.keys(*this);
  }
  void key(std::string_view name, double&, std::string_view, Range, std::string_view) override { add(name); }
  void key(std::string_view name, std::int64_t&, std::string_view, Range, std::string_view) override { add(name); }
  void key(std::string_view name, bool&, std::string_view) override { add(name); }
  void key(std::string_view name, std::string&, std::string_view) override { add(name); }
  void choice(std::string_view name, int&, const std::vector<std::string_view>&, std::string_view) override {
    add(name);
  }
  void list(std::string_view name, std::vector<double>&, std::string_view, Range, std::string_view) override {
    add(name);
  }
  void list(std::string_view name, std::vector<std::string>&, std::string_view) override { add(name); }
  void table(std::string_view name, std::vector<std::vector<double>>&, const std::vector<Column>&,
             std::string_view) override {
    add(name);
  }
  void begin_section(std::string_view, std::string_view) override {}
  void end_section() override {}

 private:
  void add(std::string_view name) { found.insert(section_ + "." + std::string(name)); }
  std::string section_;
};

std::vector<std::string> names() {
  Names names;
  names.collect<controller::CacheParams>("cache");
  names.collect<controller::BufferParams>("buffer");
  names.collect<controller::OverheadParams>("overheads");
  names.found.erase("buffer.protection");  // it acts on faults of the RAM: cli_faults_test.cpp
  return {names.found.begin(), names.found.end()};
}

class KeyEffect : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Keys, KeyEffect, ::testing::ValuesIn(names()), [](const auto& key) {
  std::string name = key.param;
  name[name.find('.')] = '_';
  return name;
});

TEST_P(KeyEffect, AnotherValueChangesWhatRequestsGoThrough) {
  const auto found = rows().find(GetParam());
  ASSERT_NE(found, rows().end()) << "a key without a row";
  const Row& row = found->second;
  BenchParams p;
  p.drive = testing::round_drive();
  p.drive.cache.look_ahead = p.drive.cache.write = true;
  p.drive.buffer.size_kib = 1'024;
  p.drive.buffer.segments = 4;
  row.base(p);
  ListSource one(row.requests), other(row.requests);
  DriveBench base("base", p, one);
  row.set(p);
  DriveBench changed("changed", p, other);
  changed.run();
  ASSERT_EQ(base.finished.size(), row.requests.size());
  ASSERT_EQ(changed.finished.size(), row.requests.size());
  bool differs = false;
  for (std::size_t i = 0; i < row.requests.size(); ++i)
    differs = differs || base.finished.at(i).record.phases != changed.finished.at(i).record.phases;
  EXPECT_TRUE(differs);
}

TEST(KeyEffects, EveryRowIsOfAKey) {
  const std::vector<std::string> all = names();
  const std::set<std::string> keys(all.begin(), all.end());
  for (const auto& [name, row] : rows()) EXPECT_EQ(keys.count(name), 1u) << name;
}

}  // namespace
}  // namespace armature::key_effects_test
