#pragma once

#include "armature/observe/request_tracker.h"

#include <gtest/gtest.h>
#include <systemc>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace armature::testing {

/// Keeps everything that a tracker hands out.
class CollectingSink final : public observe::RequestSink {
 public:
  struct Completed {
    observe::RequestRecord record;
    std::vector<observe::Segment> timeline;
    std::vector<observe::AccessTiming> accesses;
  };

  unsigned follows() const override { return kArrivals; }
  void arrived(const observe::Arrival& arrival) override { arrivals.push_back(arrival); }
  void completed(const observe::CompletedRequest& request) override {
    requests.push_back({request.record, request.timeline, request.accesses});
  }

  std::vector<observe::Arrival> arrivals;
  std::vector<Completed> requests;
};

/// While it lives, SC_REPORT_FATAL throws sc_core::sc_report instead of ending the process.
class FatalThrows {
 public:
  FatalThrows() : before_(sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW)) {}
  ~FatalThrows() { sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, before_); }
  FatalThrows(const FatalThrows&) = delete;
  FatalThrows& operator=(const FatalThrows&) = delete;

 private:
  sc_core::sc_actions before_;
};

/// A new folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "armature-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) ADD_FAILURE() << "no scratch folder";
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// One plain 4 KB read in round figures (us): queued 1000, frame 3, firmware 10, drive queue 500, arbitration 1,
/// firmware 4, seek 5000, firmware 2, rotation 3000, transfer 120, firmware 5, link wait 1, data 30, firmware 3,
/// status 2. In all 9681 us.
inline void play_read(observe::RequestTracker& tracker, std::uint64_t id, std::uint32_t tag, Ps start,
                      std::uint32_t cylinder = 700, Operation operation = Operation::read, Ps queued_us = 1000) {
  Ps t = start;
  const auto after = [&t](Ps us) { return t += us * kPsPerUs; };
  observe::Arrival arrival;
  arrival.id = id;
  arrival.at = t;
  arrival.lbn = 1'000'000 + id;
  arrival.sectors = 8;
  arrival.operation = operation;
  tracker.arrived(arrival);
  tracker.dispatched(id, tag, after(queued_us));
  tracker.base(tag, Phase::firmware, after(3));
  tracker.base(tag, Phase::drive_queue, after(10));
  tracker.base(tag, Phase::arbitration, after(500));
  const Ps granted = after(1);
  tracker.base(tag, Phase::firmware, granted);
  tracker.granted(tag, 0, 8006 * kPsPerUs, granted);
  tracker.media(tag, Phase::seek, after(4));
  tracker.media_done(tag, after(5000));
  const Ps go = after(2);
  const Ps first = after(3000);
  const Ps done = after(120);
  tracker.access(tag, {0, 2, cylinder, 400, first, done});
  tracker.media(tag, Phase::rotation, go);
  tracker.media(tag, Phase::transfer, first);
  tracker.media_done(tag, done);
  tracker.link(tag, Phase::link_wait, after(5));
  tracker.link(tag, Phase::link_data, after(1));
  tracker.link_done(tag, after(30));
  tracker.base(tag, Phase::link_status, after(3));
  tracker.completed(tag, true, 0, after(2));
}

}  // namespace armature::testing
