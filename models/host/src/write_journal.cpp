#include "armature/host/write_journal.h"

#include "armature/core/error.h"

#include <fmt/format.h>

namespace armature::host {

WriteJournal::WriteJournal(const std::filesystem::path& file, bool volatile_cache)
    : path_(file), file_(file), volatile_cache_(volatile_cache) {
  if (!file_) throw InputError(path_.string() + ": cannot be written");
  file_ << "event\trequest\tlbn\tsectors\tfua\tsent_s\tacknowledged_s\tdurable_s\toutcome\n";
}

void WriteJournal::row(const Entry& entry, Ps durable, const char* outcome) {
  const auto time = [](Ps at) { return at < 0 ? std::string() : fmt::format("{:.12f}", to_seconds(at)); };
  file_ << fmt::format("write\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", entry.request, entry.lbn, entry.sectors,
                       entry.fua ? 1 : 0, time(entry.sent), time(entry.acknowledged), time(durable), outcome);
}

void WriteJournal::dispatched(const workload::Request& request, unsigned tag, Ps at) {
  if (tag >= sent_.size()) sent_.resize(tag + 1);
  Entry& entry = sent_[tag];
  entry = {request.id, request.lbn.value(), request.sectors, request.fua, at};
  entry.order = ++order_;
  entry.active = true;
  entry.write = request.operation == Operation::write;
}

void WriteJournal::completed(const workload::Request& request, unsigned tag, bool ok, Ps at) {
  if (tag >= sent_.size() || !sent_[tag].active) return;
  Entry& entry = sent_[tag];
  entry.active = false;
  if (request.operation == Operation::flush && ok) flushed(entry.order, at);
  if (!entry.write) return;
  if (!ok) return row(entry, -1, "failed");
  entry.acknowledged = at;
  entry.order = ++order_;
  if (entry.fua || !volatile_cache_)
    row(entry, at, "durable");
  else
    volatile_.push_back(entry);
}

void WriteJournal::flushed(std::uint64_t sent, Ps at) {
  for (; !volatile_.empty() && volatile_.front().order < sent; volatile_.pop_front())
    row(volatile_.front(), at, "durable");
}

void WriteJournal::supply(bool on, Ps at) {
  if (!on) {
    for (const Entry& entry : volatile_) row(entry, -1, "at risk");
    at_risk_ += volatile_.size();
    volatile_.clear();
    for (const Entry& entry : sent_) {
      if (!entry.active || !entry.write) continue;
      row(entry, -1, "unknown");
      ++unknown_;
    }
  }
  file_ << fmt::format("{}\t\t\t\t\t{:.12f}\t\t\t\n", on ? "power on" : "power off", to_seconds(at));
}

void WriteJournal::finish() {
  for (const Entry& entry : volatile_) row(entry, -1, "in the cache");
  volatile_.clear();
  for (const Entry& entry : sent_)
    if (entry.active && entry.write) row(entry, -1, "no answer");
  sent_.clear();
  file_.close();
  if (!file_) throw InputError(path_.string() + ": cannot be written");
}

}  // namespace armature::host
