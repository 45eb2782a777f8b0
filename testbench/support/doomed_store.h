#pragma once

#include "armature/core/kernel_time.h"
#include "armature/host/contents_check.h"
#include "support/contents_load.h"
#include "support/mems_bench.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace armature::testing {

/// A MEMS store whose supply fails at `cut`, in ps, under a load. Each hot block then holds what was acknowledged as
/// durable, or what was being written, or cannot be read: anything else fails the test.
class DoomedStore : public sc_core::sc_module {
 public:
  DoomedStore(sc_core::sc_module_name name, const mems::MemsDriveParams& params, const host::HostParams& host,
              const ContentsLoad::Params& load, Ps cut)
      : sc_module(name),
        hot_first_(load.hot_first),
        hot_end_(load.hot_first + load.hot_sectors),
        load_(load),
        check_(check_params(params)),
        bench_("drive", params, host, load_) {
    bench_.queue.set_data_port(check_);
    if (host.parallel) bench_.queue.set_parallel(bench_.adapter);
    SC_HAS_PROCESS(DoomedStore);
    SC_METHOD(fail);
    sensitive << cut_;
    dont_initialize();
    cut_.notify(to_sc_time(cut));
  }
  std::uint64_t unreadable = 0;  ///< hot blocks afterwards
  std::size_t completions = 0;   ///< before
  std::size_t outstanding = 0;   ///< requests when the supply failed

 private:
  static host::ContentsCheck::Params check_params(const mems::MemsDriveParams& drive) {
    host::ContentsCheck::Params params;
    params.volatile_cache = drive.cache.write;
    return params;
  }
  void fail() {
    outstanding = bench_.queue.outstanding();
    bench_.disk.power_off();
    load_.stop();
    completions = bench_.records.size();
    check_.power_lost();
    std::uint8_t bytes[512];
    for (std::uint64_t lbn = hot_first_; lbn < hot_end_; ++lbn) {
      const bool readable = bench_.disk.contents().read(lbn, bytes);
      unreadable += readable ? 0 : 1;
      check_.acceptable(lbn, bytes, readable);
    }
    EXPECT_EQ(check_.mismatches(), 0u);
    for (const std::string& text : check_.descriptions()) ADD_FAILURE() << name() << ": " << text;
  }

  const std::uint64_t hot_first_, hot_end_;
  ContentsLoad load_;
  host::ContentsCheck check_;
  MemsBench bench_;
  sc_core::sc_event cut_;
};

}  // namespace armature::testing
