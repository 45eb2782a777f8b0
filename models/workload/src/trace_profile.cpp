#include "armature/workload/trace_profile.h"

#include <algorithm>
#include <limits>

namespace armature::workload {
namespace {

unsigned leading_bit(std::uint64_t value) {  // of a value > 0: 0 to 63
  return 63 - static_cast<unsigned>(__builtin_clzll(value));
}

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): neighbouring numbers become unrelated.
std::uint64_t hash(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// The two series of Ertl's estimator.
double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double y = 1;
  double z = x;
  for (double before = -1; z != before;) {
    before = z;
    x *= x;
    z += x * y;
    y += y;
  }
  return z;
}

double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double y = 1;
  double z = 1 - x;
  for (double before = -1; z != before;) {
    before = z;
    x = std::sqrt(x);
    y /= 2;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}

void saturating_add(std::uint32_t& to, std::uint32_t what) {
  to = what > 0xFFFF'FFFF - to ? 0xFFFF'FFFF : to + what;
}

}  // namespace

std::size_t LogHistogram::index(std::uint64_t value) {
  constexpr std::uint64_t kExact = std::uint64_t{2} << kFractionBits;
  if (value < kExact) return static_cast<std::size_t>(value);
  const unsigned shift = leading_bit(value) - kFractionBits;
  return (std::size_t{shift} << kFractionBits) + static_cast<std::size_t>(value >> shift);
}

LogHistogram::Bucket LogHistogram::bucket(std::size_t index) {
  constexpr std::size_t kExact = std::size_t{2} << kFractionBits;
  if (index < kExact) return {index, index, 0};
  const std::size_t shift = (index >> kFractionBits) - 1;
  const std::uint64_t mantissa = index - (shift << kFractionBits);
  const std::uint64_t first = mantissa << shift;
  return {first, first + ((std::uint64_t{1} << shift) - 1), 0};
}

void LogHistogram::add(std::uint64_t value) {
  const std::size_t i = index(value);
  ++counts_[i];
  sums_[i] += static_cast<double>(value);
  ++count_;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  const double delta = static_cast<double>(value) - mean_;
  mean_ += delta / static_cast<double>(count_);
  m2_ += delta * (static_cast<double>(value) - mean_);
}

double LogHistogram::deviation() const {
  return count_ == 0 ? 0 : std::sqrt(m2_ / static_cast<double>(count_));
}

std::uint64_t LogHistogram::quantile(double q) const {
  if (count_ == 0) return 0;
  const auto rank =
      std::clamp(static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_))), std::uint64_t{1}, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen < rank) continue;
    const Bucket found = bucket(i);
    const double mean = std::round(sums_[i] / static_cast<double>(counts_[i]));
    // 2^64 is no number of 64 bits, and rounding may come to it.
    const std::uint64_t in_bucket = mean >= 0x1p64 ? found.last : static_cast<std::uint64_t>(mean);
    return std::clamp(in_bucket, std::max(found.first, min_), std::min(found.last, max_));
  }
  return max_;
}

std::vector<LogHistogram::Bucket> LogHistogram::buckets() const {
  std::vector<Bucket> result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    result.push_back(bucket(i));
    result.back().count = counts_[i];
  }
  return result;
}

void DistinctSketch::add(std::uint64_t value) {
  const std::uint64_t bits = hash(value);
  const std::uint64_t rest = bits << kIndexBits;
  const unsigned zeros = rest == 0 ? 64 - kIndexBits : static_cast<unsigned>(__builtin_clzll(rest));
  std::uint8_t& longest = registers_[static_cast<std::size_t>(bits >> (64 - kIndexBits))];
  longest = std::max(longest, static_cast<std::uint8_t>(zeros + 1));
}

double DistinctSketch::estimate() const {
  constexpr unsigned kLongest = 64 - kIndexBits;
  const auto m = static_cast<double>(registers_.size());
  std::array<double, kLongest + 2> with{};
  for (const std::uint8_t zeros : registers_) ++with[zeros];
  double z = m * tau(1 - with[kLongest + 1] / m);
  for (unsigned k = kLongest; k >= 1; --k) z = 0.5 * (z + with[k]);
  z += m * sigma(with[0] / m);
  return m / (2 * std::log(2.0)) * m / z;
}

void HeatMap::add(Ps at, std::uint64_t lbn) {
  while (static_cast<std::uint64_t>(at / cell_time_) >= kColumns) halve_columns();
  while (lbn / cell_sectors_ >= kRows) halve_rows();
  saturating_add(
      counts_[static_cast<std::size_t>(lbn / cell_sectors_) * kColumns + static_cast<std::size_t>(at / cell_time_)], 1);
}

void HeatMap::halve_columns() {
  for (std::size_t row = 0; row < kRows; ++row) {
    std::uint32_t* const cells = &counts_[row * kColumns];
    for (std::size_t i = 0; i < kColumns; ++i) {
      std::uint32_t sum = 0;
      if (2 * i < kColumns) {
        sum = cells[2 * i];
        saturating_add(sum, cells[2 * i + 1]);
      }
      cells[i] = sum;
    }
  }
  cell_time_ *= 2;
}

void HeatMap::halve_rows() {
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      std::uint32_t sum = 0;
      if (2 * row < kRows) {
        sum = counts_[2 * row * kColumns + i];
        saturating_add(sum, counts_[(2 * row + 1) * kColumns + i]);
      }
      counts_[row * kColumns + i] = sum;
    }
  }
  cell_sectors_ *= 2;
}

void StreamProfile::add(const Request& request, Ps since_start, const Locality& locality) {
  if (requests == 0) {
    first_arrival = since_start;
  } else {
    gaps.add(static_cast<std::uint64_t>(since_start - last_arrival));
    if (since_start > busy_until_) {
      const Ps silence = since_start - busy_until_;
      idle.add(static_cast<std::uint64_t>(silence));
      idle_time += static_cast<double>(silence);
      for (std::size_t i = 0; i < kIdleLimits.size(); ++i)
        if (silence > kIdleLimits[i]) idle_in_longer[i] += static_cast<double>(silence);
    }
  }
  ++requests;
  last_arrival = since_start;
  count_in_seconds(since_start - first_arrival);
  if (request.measured_response >= 0) responses.add(static_cast<std::uint64_t>(request.measured_response));
  busy_until_ = std::max(busy_until_, since_start + std::max<Ps>(request.measured_response, 0));
  fua += request.fua;
  if (request.operation == Operation::flush) {
    ++flushes;
    return;
  }

  const bool read = request.operation == Operation::read;
  const std::uint64_t end = request.lbn + request.sectors;
  (read ? reads : writes) += 1;
  (read ? sectors_read : sectors_written) += request.sectors;
  sizes.add(request.sectors);
  (read ? read_sizes : write_sizes).add(request.sectors);
  first_lbn = std::min(first_lbn, request.lbn.value());
  end_lbn = std::max(end_lbn, end);
  if (locality.known) {
    ++placed;
    sequential += locality.sequential;
    of_streams += locality.of_a_stream;
    forward += locality.forward;
    if (!locality.sequential) seeks.add(locality.distance);
  }
  // Devices do not share pages; 40 bits hold a page's number on any device.
  const std::uint64_t device = std::uint64_t{request.device} << 40;
  for (std::uint64_t page = request.lbn / kPageSectors; page <= (end - 1) / kPageSectors; ++page) {
    pages.add(page ^ device);
    if (!read) written_pages.add(page ^ device);
  }
  heat.add(since_start, request.lbn);
}

void StreamProfile::count_in_seconds(Ps since_start) {
  const std::int64_t second = since_start / kPsPerSecond;
  const auto end_of_second = [this](double count) {
    ++seconds_;
    const double delta = count - seconds_mean_;
    seconds_mean_ += delta / seconds_;
    seconds_m2_ += delta * (count - seconds_mean_);
  };
  for (; second_ < second; ++second_) {
    end_of_second(static_cast<double>(in_second_));
    in_second_ = 0;
  }
  ++in_second_;
}

double StreamProfile::dispersion() const {
  return seconds_ < 2 ? 0 : seconds_m2_ / (seconds_ - 1) / seconds_mean_;
}

double StreamProfile::mean_in_flight() const {
  if (duration() <= 0) return 0;
  return responses.mean() * static_cast<double>(responses.count()) / static_cast<double>(duration());
}

TraceProfile::TraceProfile() : by_size_(65'537) {}

StreamProfile::Locality TraceProfile::locate(const Request& request) {
  StreamProfile::Locality locality;
  auto found = heads_.find(request.device);
  if (found == heads_.end()) {
    if (heads_.size() == kHeads) return locality;
    found = heads_.emplace(request.device, Head{}).first;
  }
  if (request.operation == Operation::flush) return locality;
  Head& head = found->second;
  if (head.moved) {
    locality.known = true;
    locality.sequential = request.lbn == head.end;
    locality.forward = request.lbn > head.end;
    locality.distance = locality.forward ? request.lbn - head.end : head.end - request.lbn;
  }
  const auto ends = head.ends.begin();
  const auto stream = std::find(ends, ends + kStreams, request.lbn);
  const bool known = stream != ends + kStreams;
  locality.of_a_stream = known;
  head.moved = true;
  head.end = request.lbn + request.sectors;
  // A stream that goes on keeps its place; a new one takes that of the oldest.
  const std::size_t slot = known ? static_cast<std::size_t>(stream - ends) : head.next++ % kStreams;
  head.ends[slot] = head.end;
  return locality;
}

void TraceProfile::add(const Request& request) {
  if (start_ < 0) start_ = request.arrival;
  const Ps since_start = request.arrival - start_;
  const StreamProfile::Locality locality = locate(request);
  all_.add(request, since_start, locality);
  if (request.operation != Operation::flush) ++by_size_[std::min<std::size_t>(request.sectors, by_size_.size() - 1)];
  auto device = devices_.find(request.device);
  if (device == devices_.end()) {
    if (devices_.size() == kDevices) return;
    device = devices_.emplace(request.device, std::make_unique<StreamProfile>()).first;
  }
  device->second->add(request, since_start, locality);
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> TraceProfile::common_sizes(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  for (std::size_t i = 0; i < by_size_.size(); ++i)
    if (by_size_[i] > 0) result.emplace_back(static_cast<std::uint32_t>(i), by_size_[i]);
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (result.size() > most) result.resize(most);
  return result;
}

}  // namespace armature::workload
