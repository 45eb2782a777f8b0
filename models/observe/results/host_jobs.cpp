#include "armature/observe/host_jobs.h"

#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/core/output_file.h"
#include "run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace armature::observe {

void JobAccount::remember(std::uint64_t id, bool arrives) {
  moments_.push_back({now(), static_cast<std::uint32_t>(id), arrives});
  if (!ledger_) return;
  for (const power::Shares energy : ledger_->drawn_by_component(now()))
    drawn_j_.push_back(power::shares_to_joules(energy));
}

void JobAccount::arrived(const Arrival& arrival) {
  if (arrival.id >= requests_.size()) requests_.resize(arrival.id + 1);
  Request& request = requests_[arrival.id];
  request.lbn = arrival.lbn;
  request.sectors = arrival.sectors;
  request.operation = arrival.operation;
  request.arrival = arrival.at;
  remember(arrival.id, true);
}

void JobAccount::completed(const CompletedRequest& request) {
  Request& mine = requests_[request.record.id];
  mine.completion = request.record.completion;
  mine.adapter = std::max<Ps>(request.record.adapter, 0);
  by_completion_.push_back(static_cast<std::uint32_t>(request.record.id));
  remember(request.record.id, false);
}

/// Calls `each` with every request that may have served a logged one, and the difference between their latencies.
template <class Each>
void JobAccount::candidates(const JobLog::Request& logged, Ps precision, const Each& each) {
  const auto before = [this](std::uint32_t request, Ps at) { return requests_[request].completion < at; };
  const Ps begin = logged.ended - logged.latency;
  for (auto at = std::lower_bound(by_completion_.begin(), by_completion_.end(), begin, before);
       at != by_completion_.end() && requests_[*at].completion <= logged.ended + precision; ++at) {
    Request& request = requests_[*at];
    if (request.operation != logged.operation || request.arrival < begin) continue;
    if (request.lbn >= logged.lbn + logged.sectors || logged.lbn >= request.lbn + request.sectors) continue;
    const Ps difference = std::abs(logged.latency - (request.completion - request.arrival));
    if (request.job == kNobody || difference < request.difference) each(request, difference);
  }
}

/// The nearest latency of those that may have served it; nothing: none did.
std::optional<Ps> JobAccount::nearest(const JobLog::Request& logged, Ps precision) {
  std::optional<Ps> least;
  candidates(logged, precision,
             [&least](const Request&, Ps difference) { least = std::min(least.value_or(difference), difference); });
  return least;
}

/// Those that served it become its job's: of those that are exactly what was logged the nearest, and all parts of it.
void JobAccount::take(const JobLog::Request& logged, Ps precision) {
  Request* exact = nullptr;
  Ps least = 0;
  candidates(logged, precision, [&](Request& request, Ps difference) {
    if (request.lbn == logged.lbn && request.sectors == logged.sectors) {
      if (!exact || difference < least) exact = &request, least = difference;
    } else {
      request.job = logged.job;
      request.difference = difference;
    }
  });
  if (!exact) return;
  exact->job = logged.job;
  exact->difference = least;
}

void JobAccount::assign(const std::vector<JobAccount*>& accounts, const JobLog& log, Ps end) {
  for (const JobLog::Request& logged : log.requests) {
    JobAccount* best = nullptr;
    Ps least = 0;
    for (JobAccount* const account : accounts) {
      const std::optional<Ps> difference = account->nearest(logged, log.precision);
      if (!difference || (best && *difference >= least)) continue;
      best = account;
      least = *difference;
    }
    if (best) best->take(logged, log.precision);
  }
  for (JobAccount* const account : accounts) {
    account->moments_.push_back({end, 0, false});
    if (account->ledger_)
      for (const power::Shares energy : account->ledger_->drawn_by_component(end))
        account->drawn_j_.push_back(power::shares_to_joules(energy));
    account->sum_up(log.names);
  }
}

void JobAccount::sum_up(const std::vector<std::string>& names) {
  names_ = names;
  std::vector<JobFigures> all(names.size() + 1);  // the last: nobody's
  std::vector<std::vector<Ps>> responses(all.size());
  std::vector<double> adapters(all.size());
  for (std::size_t i = 0; i < names.size(); ++i) all[i].name = names[i];
  for (const std::uint32_t each : by_completion_) {
    const Request& request = requests_[each];
    const std::size_t job = std::min<std::size_t>(request.job, names.size());
    JobFigures& of = all[job];
    of.begin = of.requests == 0 ? request.arrival : std::min(of.begin, request.arrival);
    of.end = request.completion;
    ++of.requests;
    of.reads += request.operation == Operation::read ? 1 : 0;
    of.writes += request.operation == Operation::write ? 1 : 0;
    of.sectors += request.sectors;
    responses[job].push_back(request.completion - request.arrival);
    of.mean_response += static_cast<double>(request.completion - request.arrival);
    of.mean_adapter += static_cast<double>(request.adapter);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].requests == 0) continue;
    const auto count = static_cast<double>(all[i].requests);
    all[i].mean_response /= count;
    all[i].mean_adapter /= count;
    const std::size_t rank = (99 * responses[i].size() + 99) / 100 - 1;
    std::nth_element(responses[i].begin(), responses[i].begin() + static_cast<std::ptrdiff_t>(rank),
                     responses[i].end());
    all[i].p99_response = responses[i][rank];
  }
  if (ledger_) share_energy(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].requests > 0 || i + 1 == all.size()) figures_.push_back(all[i]);
}

void JobAccount::share_energy(std::vector<JobFigures>& all) const {
  const std::size_t components = ledger_->components().size();
  for (JobFigures& job : all) job.component_j.assign(components, 0);
  const std::size_t nobody = all.size() - 1;
  std::vector<std::uint64_t> at_drive(all.size());
  std::uint64_t requests = 0;
  std::vector<double> before(components, 0);
  Ps since = 0;
  for (std::size_t m = 0; m < moments_.size(); ++m) {
    const Moment& moment = moments_[m];
    // The shares of what was drawn up to this moment.
    std::vector<double> share(all.size(), 0);
    double sum = 0;
    for (std::size_t job = 0; job < nobody; ++job) {
      const bool open = all[job].requests > 0 && all[job].begin <= since && since < all[job].end;
      share[job] = requests > 0 ? static_cast<double>(at_drive[job]) : open ? 1 : 0;
      sum += share[job];
    }
    share[nobody] = requests > 0 ? static_cast<double>(at_drive[nobody]) : sum > 0 ? 0 : 1;
    sum += share[nobody];
    for (std::size_t c = 0; c < components; ++c) {
      const double drawn = drawn_j_[m * components + c] - before[c];
      before[c] = drawn_j_[m * components + c];
      for (std::size_t job = 0; job < all.size(); ++job) all[job].component_j[c] += drawn * share[job] / sum;
    }
    since = moment.at;
    if (m + 1 == moments_.size()) break;
    const std::size_t job = std::min<std::size_t>(requests_[moment.request].job, nobody);
    at_drive[job] += moment.arrives ? 1 : ~std::uint64_t{0};
    requests += moment.arrives ? 1 : ~std::uint64_t{0};
  }
  for (JobFigures& job : all)
    for (const double each : job.component_j) job.energy_j += each;
}

std::vector<std::string> JobAccount::components() const {
  return ledger_ ? ledger_->components() : std::vector<std::string>();
}

const std::string& JobAccount::job_of(std::uint64_t id) const {
  static const std::string nobody;
  if (id >= requests_.size() || requests_[id].job == kNobody) return nobody;
  return names_[requests_[id].job];
}

void write_jobs(const std::filesystem::path& file, const JobAccount& account) {
  std::string text =
      "job,requests,reads,writes,sectors,begin_us,end_us,requests_per_s,mean_response_us,p99_response_us,"
      "mean_adapter_us";
  const std::vector<std::string> components = account.components();
  if (!components.empty()) text += ",energy_j";
  for (const std::string& component : components) text += "," + component + "_j";
  text += '\n';
  for (const JobFigures& job : account.jobs()) {
    const double length = to_seconds(job.end - job.begin);
    text += fmt::format("{},{},{},{},{},{:.6f},{:.6f},{:.6g},{:.6f},{:.6f},{:.6f}", job.name, job.requests, job.reads,
                        job.writes, job.sectors, to_us(job.begin), to_us(job.end),
                        length > 0 ? static_cast<double>(job.requests) / length : 0, job.mean_response * 1e-6,
                        to_us(job.p99_response), job.mean_adapter * 1e-6);
    if (!components.empty()) text += fmt::format(",{:.12g}", job.energy_j);
    for (const double energy : job.component_j) text += fmt::format(",{:.12g}", energy);
    text += '\n';
  }
  write_output_file(file, text);
}

void name_jobs(const std::filesystem::path& file, const JobAccount& account) {
  std::filesystem::path changed = file;
  changed += ".new";
  {
    std::ifstream in(file);
    std::ofstream out(changed);
    std::string line;
    if (std::getline(in, line)) out << line << '\n';
    while (std::getline(in, line)) {  // the job is the last column but one, and empty
      const std::string_view row = line;
      const std::size_t status = std::min(row.rfind(','), row.size());
      out << row.substr(0, status) << account.job_of(std::strtoull(line.c_str(), nullptr, 10)) << row.substr(status)
          << '\n';
    }
    if (in.bad() || !out.flush()) {
      std::error_code ignored;
      std::filesystem::remove(changed, ignored);
      throw InputError("cannot write " + changed.string());
    }
  }
  std::error_code error;
  std::filesystem::rename(changed, file, error);
  if (error) throw InputError("cannot write " + file.string() + ": " + error.message());
}

}  // namespace armature::observe
