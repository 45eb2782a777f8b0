// The seams around the host queue: any block port below it, requests that another module gives, a drive manager beside
// it, data from outside.
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/host/drive_manager.h"
#include "armature/host/host_queue.h"
#include "armature/host/request_feed.h"
#include "support/host_bench.h"
#include "support/memory_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace armature::host {
namespace {

using ::testing::ElementsAre;
using testing::ListSource;
using testing::MemoryPort;
using testing::RecordingListener;
using testing::request;
using workload::Request;

TEST(BlockPort, TheQueueRunsOverAnyPortAndKeepsToItsDepth) {
  MemoryPort port("port");
  ListSource source;
  for (unsigned i = 0; i < 10; ++i) source.requests.push_back(request(0, i * 8));
  RecordingListener listener;
  HostParams params;
  params.identify = true;
  HostQueue queue("host", params, source, port, {}, &listener, {});
  sc_core::sc_start();
  EXPECT_TRUE(queue.finished());
  EXPECT_EQ(port.most, 3u);
  EXPECT_EQ(port.issued.front().first, kPsPerMs);  // after IDENTIFY
  EXPECT_EQ(listener.find('C', 9).at, 11 * kPsPerMs);
}

/// Owner of a feed that counts what has finished.
struct Owner final : RequestFeed::Owner {
  std::map<std::uint64_t, std::vector<std::uint8_t>> buffers;
  std::vector<std::pair<std::uint64_t, bool>> ended;
  std::function<void(const Request&)> then;

  std::uint8_t* buffer(const Request& r) override {
    auto& bytes = buffers[r.id];
    bytes.resize(r.sectors * 512u, static_cast<std::uint8_t>(r.id));
    return bytes.data();
  }
  void finished(const Request& r, const CommandStatus& status, Ps) override {
    ended.emplace_back(r.id, status.ok);
    if (then) then(r);
  }
};

TEST(RequestFeed, GivesRequestsWithTheirDataAndTellsTheOwnerHowTheyEnded) {
  MemoryPort port("port");
  Owner owner;
  RequestFeed feed(owner);
  HostQueue queue("host", {}, feed, port, {}, nullptr, {});
  feed.set_queue(queue);
  queue.set_data_port(feed);
  port.bad_lbn = 96;
  const auto push = [&](std::uint64_t id, std::uint64_t lbn, Operation operation) {
    Request r = request(0, lbn, 8, operation);
    r.id = id;
    feed.push(r);
  };
  // A write, then a read of the same place into another buffer, then one that fails; each given when the last has
  // ended.
  owner.then = [&](const Request& r) {
    if (r.id == 70) push(71, 64, Operation::read);
    if (r.id == 71) push(72, 96, Operation::read);
    if (r.id == 72) feed.close();
  };
  push(70, 64, Operation::write);
  sc_core::sc_start();
  EXPECT_THAT(owner.ended, ElementsAre(std::pair(70u, true), std::pair(71u, true), std::pair(72u, false)));
  EXPECT_EQ(owner.buffers[71][0], 70);
  EXPECT_THAT(port.issued, ElementsAre(std::pair(Ps{0}, 64u), std::pair(kPsPerMs, 64u), std::pair(2 * kPsPerMs, 96u)));
  EXPECT_TRUE(queue.finished());
}

TEST(RequestFeed, OneRequestBecomesOneOnEachOfTwoTargetsAndEndsWithTheLast) {
  MemoryPort left("left"), right("right");
  Owner owner;
  RequestFeed to_left(owner), to_right(owner);
  HostQueue left_queue("left_host", {}, to_left, left, {}, nullptr, {});
  HostQueue right_queue("right_host", {}, to_right, right, {}, nullptr, {});
  to_left.set_queue(left_queue);
  to_right.set_queue(right_queue);
  Ps both = 0;
  std::map<std::uint64_t, unsigned> open;  // by parent, which is the request's number here
  owner.then = [&](const Request& r) {
    if (--open[r.id] == 0) both = now();
  };
  Request r = request(0, 8);
  r.id = 5;
  open[5] = 2;
  to_left.push(r);
  to_right.push(request(0, 800));  // something else before it
  open[0] = 1;
  to_right.push(r);
  to_left.close();
  to_right.close();
  sc_core::sc_start();
  EXPECT_EQ(both, 2 * kPsPerMs);
  EXPECT_TRUE(left_queue.finished());
  EXPECT_TRUE(right_queue.finished());
}

TEST(RequestFeed, ARequestAfterTheLastIsAModelsMistake) {
  Owner owner;
  RequestFeed feed(owner);
  MemoryPort port("port");
  HostQueue queue("host", {}, feed, port, {}, nullptr, {});
  feed.set_queue(queue);
  feed.close();
  EXPECT_THROW(feed.push(request(0, 8)), sc_core::sc_report);
}

/// A queue over a memory port with the manager that the keys describe.
struct Managed {
  explicit Managed(const HostParams& params)
      : queue("host", params, source, port, {}, &listener, {}), manager("manager", params) {
    queue.set_manager(manager);
  }
  MemoryPort port{"port"};
  ListSource source;
  RecordingListener listener;
  HostQueue queue;
  TimedDriveManager manager;
};

TEST(DriveManager, StandbyTimerAndAcousticLevelGoBeforeTheFirstRequest) {
  HostParams params;
  params.standby_timer_s = 10;
  params.acoustic_level = 130;
  Managed bench(params);
  bench.source.requests = {request(0, 8)};
  sc_core::sc_start();
  ASSERT_EQ(bench.port.controls.size(), 2u);
  EXPECT_EQ(bench.port.controls[0].second.code, sata::Command::idle);
  EXPECT_EQ(bench.port.controls[0].second.count, 2u);
  EXPECT_EQ(bench.port.controls[1].second.code, sata::Command::set_features);
  EXPECT_EQ(bench.port.controls[1].second.count, 130u);
  EXPECT_EQ(bench.port.controls[1].first, kPsPerMs);
  EXPECT_EQ(bench.listener.find('D', 0).at, 2 * kPsPerMs);
}

TEST(DriveManager, StandbyComesAfterTheIdleTimeAndNotWhileARequestIsOut) {
  HostParams params;
  params.standby_after_s = 0.010;
  Managed bench(params);
  // Idle for 8 ms, then for 19 ms, in which standby is due at 20 ms; at the end nothing more is sent.
  bench.source.requests = {request(0, 8), request(9 * kPsPerMs, 16), request(29 * kPsPerMs, 24)};
  sc_core::sc_start();
  ASSERT_EQ(bench.port.controls.size(), 1u);
  EXPECT_EQ(bench.port.controls[0].second.code, sata::Command::standby_immediate);
  EXPECT_EQ(bench.port.controls[0].first, 20 * kPsPerMs);
}

TEST(DriveManager, APlanSendsStandbyAndIdleAtItsTimes) {
  HostParams params;
  params.standby_plan = {{0.004, 0.010}, {0.020, 0.025}, {0.026, 0.030}};
  Managed bench(params);
  // The second standby waits for a request until 20.5 ms. In the third one a request comes at 27 ms, and brings the
  // drive back by itself; at 30 ms nothing is at the drive.
  bench.source.requests = {request(0, 8), request(39 * kPsPerMs / 2, 16), request(27 * kPsPerMs, 24),
                           request(40 * kPsPerMs, 32)};
  sc_core::sc_start();
  std::vector<std::pair<Ps, sata::Command>> sent;
  for (const auto& [at, control] : bench.port.controls) sent.emplace_back(at / kPsPerMs, control.code);
  const auto down = sata::Command::standby_immediate, up = sata::Command::idle_immediate;
  EXPECT_EQ(sent, (std::vector<std::pair<Ps, sata::Command>>{
                      {4, down}, {10, up}, {20, down}, {25, up}, {26, down}, {30, up}}));
}

TEST(DriveManager, APlanWaitsForTheAnswerToIdentify) {
  HostParams params;
  params.identify = true;  // takes 1 ms
  params.standby_plan = {{0.0005, 0.003}, {0.007, 0.008}};
  Managed bench(params);
  bench.source.requests = {request(4 * kPsPerMs, 8), request(20 * kPsPerMs, 16)};
  sc_core::sc_start();
  std::vector<Ps> sent;
  for (const auto& [at, control] : bench.port.controls) sent.push_back(at / kPsPerMs);
  EXPECT_THAT(sent, ElementsAre(1, 3, 7, 8));
}

TEST(DriveManager, AStandbyWhoseTimeIsOverBeforeItCouldBeginIsLeftOut) {
  HostParams params;
  params.standby_plan = {{0.0002, 0.0008}, {0.005, 0.006}};
  Managed bench(params);
  bench.source.requests = {request(0, 8), request(20 * kPsPerMs, 16)};  // the first one takes 1 ms
  sc_core::sc_start();
  ASSERT_EQ(bench.port.controls.size(), 2u);
  EXPECT_EQ(bench.port.controls[0].first, 5 * kPsPerMs);
}

TEST(DriveManager, APlanWhoseSpansOverlapIsRefused) {
  HostParams params;
  params.standby_plan = {{1, 3}, {2, 4}};
  EXPECT_THROW(params.check_plan(), InputError);
  params.standby_plan = {{1, 1}};
  EXPECT_THROW(params.check_plan(), InputError);
}

TEST(DriveManager, ARequestWaitsForAChangeOfLevelThatIsDueUntilTheDriveIsEmpty) {
  HostParams params;
  params.acoustic_level = 130;
  params.acoustic_switch_s = 0.0045;
  params.tags = 2;
  Managed bench(params);
  for (unsigned i = 0; i < 6; ++i) bench.source.requests.push_back(request(0, i * 8));
  sc_core::sc_start();
  ASSERT_GE(bench.port.controls.size(), 2u);
  // The level goes first, 1 ms. The change is due at 4.5 ms, when requests 3 and 4 are out: they end at 5 and 6 ms.
  EXPECT_EQ(bench.port.controls[1].first, 6 * kPsPerMs);
  EXPECT_EQ(bench.port.controls[1].second.count, 254u);
  EXPECT_EQ(bench.listener.find('D', 5).at, 7 * kPsPerMs);
}

TEST(DriveManager, ChangesOfLevelThatFollowFasterThanTheyTakeLetRequestsThrough) {
  HostParams params;
  params.acoustic_level = 130;
  params.acoustic_switch_s = 0.0003;  // a command takes 1 ms
  Managed bench(params);
  for (unsigned i = 0; i < 4; ++i) bench.source.requests.push_back(request(0, i * 8));
  sc_core::sc_start(to_sc_time(20 * kPsPerMs));
  EXPECT_TRUE(bench.queue.finished());
  EXPECT_EQ(bench.listener.find('D', 0).at, kPsPerMs);
  ASSERT_GE(bench.port.controls.size(), 2u);
  EXPECT_EQ(bench.port.controls[1].second.count, 254u);
}

}  // namespace
}  // namespace armature::host
