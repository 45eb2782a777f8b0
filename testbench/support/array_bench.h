#pragma once

#include "armature/array/array_cache.h"
#include "armature/array/array_controller.h"
#include "armature/array/staging.h"
#include "armature/host/contents_check.h"
#include "armature/host/host_queue.h"
#include "armature/host/request_feed.h"
#include "support/memory_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace armature::testing {

/// An array controller over devices in memory, each behind a queue of its own, under a source whose data are verified.
struct ArrayBench final : array::OperationListener {
  ArrayBench(const array::ArrayParams& params, unsigned members, unsigned spares, std::uint64_t member_sectors,
             workload::Source& source, std::uint64_t seed = 1, host::RequestListener* listener = nullptr,
             const std::string& prefix = "")
      : layout(static_cast<array::Level>(params.level), std::vector<std::uint64_t>(members, member_sectors),
               params.stripe_sectors(), params.extents, static_cast<unsigned>(params.copies)),
        controller((prefix + "controller").c_str(), params, layout, spares, /*data=*/true),
        staging(make_staging(params, members + spares, prefix)),
        cache(params.cache.size_mib > 0 ? std::make_unique<array::ArrayCache>(
                                              (prefix + "cache").c_str(), params.cache, below_cache(),
                                              static_cast<unsigned>(params.depth), layout.data_row_sectors(), true)
                                        : nullptr),
        queue((prefix + "host").c_str(), queue_params(params), source,
              cache ? static_cast<host::BlockPort&>(*cache) : below_cache(), {}, listener, {}),
        check(check_params(params)) {
    controller.set_listener(*this);
    queue.set_data_port(check);
    queue.on_finished = [this] { close(); };
    for (unsigned i = 0; i < members + spares + (staging ? 1 : 0); ++i) {
      devices.push_back(
          std::make_unique<MemoryDevice>((prefix + "device" + std::to_string(i)).c_str(), seed * 100 + i));
      feeds.push_back(
          std::make_unique<host::RequestFeed>(i < members + spares ? controller.owner(i) : staging->owner()));
      queues.push_back(std::make_unique<host::HostQueue>((prefix + "queue" + std::to_string(i)).c_str(),
                                                         host::HostParams{}, *feeds[i], *devices[i],
                                                         host::PositionOracle{}, nullptr, BlockContext{}));
      feeds[i]->set_queue(*queues[i]);
      queues[i]->set_data_port(*feeds[i]);
      if (i < members + spares)
        controller.set_feed(i, *feeds[i]);
      else
        staging->set_feed(*feeds[i]);
    }
  }

  /// To the end; everything must be over then, and right.
  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(queue.finished()) << controller.diagnosis();
    for (const auto& each : queues) EXPECT_TRUE(each->finished()) << controller.diagnosis();
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
    EXPECT_EQ(controller.counters().parts_different, 0u);
    EXPECT_EQ(controller.counters().parity_different, 0u);
    EXPECT_EQ(controller.counters().scrub_different, 0u);
  }

  static host::ContentsCheck::Params check_params(const array::ArrayParams& params) {
    host::ContentsCheck::Params check;
    check.volatile_cache =
        params.cache.size_mib > 0 && !params.cache.nonvolatile && params.cache.write == array::CacheWrite::back;
    return check;
  }

  void close() {
    const auto below = [this] {
      if (staging)
        staging->close([this] { controller.close(); });
      else
        controller.close();
    };
    if (cache)
      cache->close(below);
    else
      below();
  }

  /// Of a store of `store_sectors`.
  std::unique_ptr<array::Staging> make_staging(const array::ArrayParams& params, unsigned device,
                                               const std::string& prefix) {
    if (params.staging.store.empty()) return nullptr;
    const bool cached = params.cache.size_mib > 0;
    const auto tags = static_cast<unsigned>(params.depth + (cached ? params.cache.destage_depth : 0));
    auto made = std::make_unique<array::Staging>((prefix + "staging").c_str(), params.staging, controller, tags,
                                                 layout.data_row_sectors(), kStoreSectors, device, true);
    made->set_listener(*this);
    return made;
  }
  host::BlockPort& below_cache() {
    return staging ? static_cast<host::BlockPort&>(*staging) : static_cast<host::BlockPort&>(controller);
  }

  static host::HostParams queue_params(const array::ArrayParams& params) {
    host::HostParams queue;
    queue.tags = params.depth;
    return queue;
  }

  struct Ended {
    array::MemberOperation operation;
    bool ok;
    Ps at;
  };
  bool keep = false;  ///< fill `ended`
  std::vector<Ended> ended;
  void operation_ended(const array::MemberOperation& operation, bool ok, Ps at) override {
    if (keep) ended.push_back({operation, ok, at});
  }
  void stage_over(unsigned, Ps) override {}

  static constexpr std::uint64_t kStoreSectors = 1'000;

  const array::Layout layout;
  array::ArrayController controller;
  std::unique_ptr<array::Staging> staging;   ///< null: none
  std::unique_ptr<array::ArrayCache> cache;  ///< null: none
  host::HostQueue queue;
  host::ContentsCheck check;
  std::vector<std::unique_ptr<MemoryDevice>> devices;
  std::vector<std::unique_ptr<host::RequestFeed>> feeds;
  std::vector<std::unique_ptr<host::HostQueue>> queues;
};

}  // namespace armature::testing
