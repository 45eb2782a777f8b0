// A workload divided over several targets: each request is one for the host, whatever becomes of it below.
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/host/contents_check.h"
#include "armature/host/host_queue.h"
#include "armature/host/target_set.h"
#include "support/host_bench.h"
#include "support/memory_device.h"
#include "support/memory_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace armature::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ListSource;
using testing::RecordingListener;
using testing::request;
using workload::Request;

using Part = std::tuple<unsigned, std::uint64_t, std::uint32_t, std::uint64_t>;  // target, LBN, sectors, offset

std::vector<Part> parts(const TargetSet& set, Operation operation, std::uint64_t lbn, std::uint32_t sectors) {
  BlockCommand command;
  command.operation = operation;
  command.lbn = lbn;
  command.sectors = sectors;
  std::vector<Part> all;
  for (const ChildRequest& child : set.children(7, command)) {
    EXPECT_EQ(child.parent, 7u);
    EXPECT_EQ(child.operation, operation);
    all.emplace_back(child.target, child.lbn, child.sectors, child.offset);
  }
  return all;
}

TEST(TargetSet, ARequestBecomesOneChildForEachStretchThatItTouches) {
  const TargetSet set("set", {{0, 100, 50}, {1, 0, 30}, {0, 0, 20}});
  EXPECT_EQ(set.targets(), 2u);
  EXPECT_EQ(set.sectors(), 100u);
  EXPECT_THAT(parts(set, Operation::read, 0, 8), ElementsAre(Part(0, 100, 8, 0)));
  EXPECT_THAT(parts(set, Operation::read, 42, 8), ElementsAre(Part(0, 142, 8, 0)));
  EXPECT_THAT(parts(set, Operation::read, 50, 30), ElementsAre(Part(1, 0, 30, 0)));
  EXPECT_THAT(parts(set, Operation::write, 45, 50),
              ElementsAre(Part(0, 145, 5, 0), Part(1, 0, 30, 5), Part(0, 0, 15, 35)));
  EXPECT_THAT(parts(set, Operation::read, 99, 1), ElementsAre(Part(0, 19, 1, 0)));
  EXPECT_THAT(parts(set, Operation::flush, 0, 0), ElementsAre(Part(0, 0, 0, 0), Part(1, 0, 0, 0)));
}

TEST(TargetSet, ADivisionThatIsNoneIsAnInputError) {
  const auto message = [](const std::vector<TargetSet::Stretch>& division) -> std::string {
    try {
      const TargetSet set(sc_core::sc_gen_unique_name("set"), division);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message({}), HasSubstr("no target"));
  EXPECT_THAT(message({{0, 0, 10}, {3, 0, 0}}), HasSubstr("target 3: a stretch of no sectors"));
  EXPECT_THAT(message({{1, 0, 10}, {0, 5, 5}, {1, 9, 5}}), HasSubstr("target 1: two stretches share LBN 9"));
  EXPECT_EQ(message({{1, 0, 10}, {0, 5, 5}, {1, 10, 5}}), "accepted");
}

struct Children final : ChildListener {
  struct Entry {
    ChildRequest child;
    bool ok;
    Ps ended;
  };
  std::vector<Entry> ended;
  unsigned out = 0;

  void child_began(const ChildRequest& child) override {
    EXPECT_EQ(child.begun, now());
    ++out;
  }
  void child_ended(const ChildRequest& child, const CommandStatus& status, Ps at) override {
    --out;
    ended.push_back({child, status.ok, at});
  }
};

/// A queue over a target set, over a queue and a device for each target.
template <class Device>
struct Bench {
  template <class MakeDevice>
  Bench(workload::Source& source, const std::vector<TargetSet::Stretch>& division, MakeDevice make)
      : set("set", division), queue("host", {}, source, set, {}, &listener, {}) {
    set.set_listener(children);
    queue.on_finished = [this] { set.close(); };
    for (unsigned i = 0; i < set.targets(); ++i) {
      const std::string number = std::to_string(i);
      devices.push_back(make(i, "device" + number));
      feeds.push_back(std::make_unique<RequestFeed>(set.owner(i)));
      queues.push_back(std::make_unique<HostQueue>(("queue" + number).c_str(), HostParams{}, *feeds[i], *devices[i],
                                                   PositionOracle{}, nullptr, BlockContext{}));
      feeds[i]->set_queue(*queues[i]);
      queues[i]->set_data_port(*feeds[i]);
      set.set_feed(i, *feeds[i]);
    }
  }
  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(queue.finished());
    for (const auto& each : queues) EXPECT_TRUE(each->finished());
    EXPECT_EQ(children.out, 0u);
  }

  TargetSet set;
  RecordingListener listener;
  Children children;
  HostQueue queue;
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::unique_ptr<RequestFeed>> feeds;
  std::vector<std::unique_ptr<HostQueue>> queues;
};

TEST(TargetSet, RandomRequestsKeepTheirDataAndEndWithTheLastOfTheirChildren) {
  RandomStream random(3, "target set");
  // 300 sectors of three targets in stretches of 1 to 20, dealt out at random.
  std::vector<TargetSet::Stretch> division;
  std::vector<std::uint64_t> next(3);
  for (std::uint64_t sectors = 0; sectors < 300;) {
    const std::uint64_t width = std::min<std::uint64_t>(1 + random.below(20), 300 - sectors);
    const auto target = static_cast<unsigned>(random.below(3));
    division.push_back({target, next[target], width});
    next[target] += width;
    sectors += width;
  }
  ListSource source;
  std::uint64_t moved = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto sectors = static_cast<std::uint32_t>(1 + random.below(40));
    const auto operation = random.below(50) == 0 ? Operation::flush
                           : random.chance(0.5)  ? Operation::read
                                                 : Operation::write;
    source.requests.push_back(request(static_cast<Ps>(i) * kPsPerMs, random.below(300 - sectors), sectors, operation));
    if (operation == Operation::flush) source.requests.back().sectors = 0;
    moved += source.requests.back().sectors;
  }
  Bench<testing::MemoryDevice> bench(source, division, [](unsigned i, const std::string& name) {
    return std::make_unique<testing::MemoryDevice>(name.c_str(), i);
  });
  ContentsCheck check({});
  bench.queue.set_data_port(check);
  bench.run();
  EXPECT_EQ(check.mismatches(), 0u);
  EXPECT_GT(check.sectors_compared(), 5'000u);

  std::map<unsigned, std::uint64_t> request_of;  // by tag
  std::map<std::uint64_t, Ps> began, last;       // by request
  std::uint64_t in_children = 0;
  for (const Children::Entry& each : bench.children.ended) in_children += each.child.sectors;
  EXPECT_EQ(in_children, moved);
  EXPECT_GT(bench.children.ended.size(), source.requests.size());
  // The host sees one request, from its dispatch to the end of the last child.
  auto child = bench.children.ended.begin();
  for (const RecordingListener::Event& event : bench.listener.events) {
    if (event.what == 'D') request_of[event.tag] = event.id, began[event.id] = event.at;
    if (event.what != 'C') continue;
    EXPECT_TRUE(event.status.ok);
    for (; child != bench.children.ended.end() && child->ended <= event.at; ++child) {
      const std::uint64_t parent = request_of.at(child->child.parent);
      EXPECT_EQ(child->child.begun, began.at(parent));
      last[parent] = child->ended;
    }
    EXPECT_EQ(last.at(event.id), event.at) << event.id;
  }
  EXPECT_EQ(bench.listener.order('C').size(), source.requests.size());
}

TEST(TargetSet, AnErrorIsThatOfTheLowestBlockAndTheOthersAreWaitedFor) {
  ListSource source;
  source.requests = {request(0, 90, 30), request(0, 0, 8), request(0, 295, 10), request(0, 296, 4)};
  Bench<testing::MemoryPort> bench(
      source, {{0, 0, 100}, {1, 500, 10}, {2, 0, 190}},
      [](unsigned, const std::string& name) { return std::make_unique<testing::MemoryPort>(name.c_str()); });
  bench.devices[1]->bad_lbn = 500;  // the host's block 100
  bench.devices[2]->bad_lbn = 0;    // 110
  bench.run();
  const RecordingListener::Event& failed = bench.listener.find('C', 0);
  EXPECT_FALSE(failed.status.ok);
  EXPECT_EQ(failed.status.lbn, 100u);
  EXPECT_EQ(failed.status.error, 0x40);
  EXPECT_EQ(bench.children.ended.size(), 5u) << "the one outside has none";
  EXPECT_TRUE(bench.listener.find('C', 1).status.ok);
  const RecordingListener::Event& outside = bench.listener.find('C', 2);
  EXPECT_FALSE(outside.status.ok);
  EXPECT_EQ(outside.status.lbn, 300u);
  EXPECT_EQ(outside.status.error, sata::error::kIdnf);
  EXPECT_TRUE(bench.listener.find('C', 3).status.ok) << "up to the last sector";
}

TEST(TargetSet, ACommandForOneDriveEndsWithAnError) {
  struct Client final : BlockClient {
    void command_done(unsigned, const CommandStatus&, Ps) override {}
    void identified(const CommandStatus& status, Ps) override { identity = status.ok; }
    void controlled(const CommandStatus& status, Ps) override { control = status.ok; }
    bool identity = false, control = true;
  } client;
  TargetSet set("set", {{0, 0, 8}});
  set.set_client(client);
  set.identify();
  set.control({sata::Command::standby_immediate, 0, 0});
  sc_core::sc_start();
  EXPECT_TRUE(client.identity);
  EXPECT_FALSE(client.control);
}

}  // namespace
}  // namespace armature::host
