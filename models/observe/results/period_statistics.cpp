#include "armature/observe/period_statistics.h"

#include "armature/core/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>

namespace armature::observe {

PeriodFile::PeriodFile(const std::filesystem::path& file) : path_(file) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error of the stream
  out_.open(file, std::ios::binary | std::ios::trunc);
  if (!out_) throw InputError("cannot write " + file.string());
}

void PeriodFile::write(const std::string& line) {
  if (!out_) return;
  out_ << line << '\n';
  out_.flush();
}

PeriodStatistics::PeriodStatistics(PeriodFile& file, std::string drive, Ps every)
    : file_(file), drive_(std::move(drive)), every_(every) {}

void PeriodStatistics::arrived(const Arrival& arrival) {
  reach(arrival.at);
  ++arrived_;
  ++depth_;
  max_depth_ = std::max(max_depth_, depth_);
}

void PeriodStatistics::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  reach(record.completion);
  --depth_;
  responses_.push_back(record.response());
  if (record.ok)
    bytes_ += std::uint64_t{record.sectors} * 512;
  else
    ++failed_;
  missed_ += record.missed_revolutions;
}

void PeriodStatistics::finish(Ps end) {
  reach(end);
  if (end > begin_) write(end);
}

void PeriodStatistics::count_depth(Ps until) {
  depth_time_ += static_cast<__int128>(depth_) * (until - counted_);
  counted_ = until;
}

void PeriodStatistics::reach(Ps at) {
  while (at - begin_ >= every_) write(begin_ + every_);
  count_depth(at);
}

void PeriodStatistics::write(Ps end) {
  count_depth(end);
  const double seconds = to_seconds(end - begin_);
  nlohmann::ordered_json line = {{"drive", drive_},
                                 {"from_s", to_seconds(begin_)},
                                 {"to_s", to_seconds(end)},
                                 {"arrived", arrived_},
                                 {"completed", responses_.size()},
                                 {"failed", failed_},
                                 {"requests_per_s", static_cast<double>(responses_.size()) / seconds},
                                 {"megabytes_per_s", static_cast<double>(bytes_) / 1e6 / seconds},
                                 {"mean_depth", static_cast<double>(depth_time_) / static_cast<double>(end - begin_)},
                                 {"max_depth", max_depth_},
                                 {"outstanding", depth_},
                                 {"missed_revolutions", missed_}};
  if (!responses_.empty()) {
    std::sort(responses_.begin(), responses_.end());
    double sum = 0;
    for (const Ps response : responses_) sum += to_ms(response);
    const auto count = static_cast<double>(responses_.size());
    const auto quantile = [&](double q) {
      const auto rank = static_cast<std::size_t>(std::ceil(q * count - 1e-9));
      return to_ms(responses_[std::clamp<std::size_t>(rank, 1, responses_.size()) - 1]);
    };
    line["mean_ms"] = sum / count;
    line["p50_ms"] = quantile(0.5);
    line["p90_ms"] = quantile(0.9);
    line["p99_ms"] = quantile(0.99);
    line["max_ms"] = to_ms(responses_.back());
  }
  file_.write(line.dump());
  begin_ = end;
  depth_time_ = 0;
  max_depth_ = depth_;
  arrived_ = failed_ = bytes_ = missed_ = 0;
  responses_.clear();
}

}  // namespace armature::observe
