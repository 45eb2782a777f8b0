#pragma once

#include "armature/core/schema.h"
#include "armature/workload/source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::workload {

/// Names and units of the columns of a CSV trace: keys of `workload.columns`, for files whose header does not say it in
/// the words of docs/guide/workloads.md. An empty name means: by the header.
struct ColumnParams {
  enum TimeUnit { time_by_name, seconds, milliseconds, microseconds, nanoseconds, hundred_nanoseconds, picoseconds };
  enum DataUnit { data_by_name, sectors, bytes };
  enum OpNumbers { scsi, read_is_0, read_is_1, nvme };

  std::string time, device, device_minor, address, size, op, flags, measured;
  TimeUnit time_unit = time_by_name;
  DataUnit address_unit = data_by_name;
  std::int64_t address_sector_bytes = 512;  ///< of addresses and sizes in sectors: 128 to 4096, a power of two
  DataUnit size_unit = data_by_name;
  TimeUnit measured_unit = time_by_name;
  OpNumbers op_numbers = scsi;

  void keys(KeyVisitor& visitor);
};

/// What an fio iolog leaves open: keys of `workload.iolog`.
struct IologParams {
  enum TimeUnit { microseconds, milliseconds, nanoseconds };
  enum Wait { ms_since_start, us_since_wait };

  std::int64_t in_flight = 1;
  TimeUnit time_unit = microseconds;
  Wait wait = ms_since_start;

  void keys(KeyVisitor& visitor);
};

/// What of blkparse's events is a request: keys of `workload.blkparse`.
struct BlkparseParams {
  enum Action { queued, issued };

  Action action = queued;
  std::string format;  ///< what blkparse was told to print with -f; empty: its default

  void keys(KeyVisitor& visitor);
};

/// Which event of the kernel's block layer is a request: keys of `workload.ftrace`.
struct FtraceParams {
  enum Event { automatic, queue, insert, issue };

  Event event = automatic;  ///< the first of queue, issue, insert that the trace's beginning holds

  void keys(KeyVisitor& visitor);
};

/// On-off bursts of open arrivals: keys of `workload.bursts`.
struct BurstParams {
  enum Lengths { exponential, fixed };

  double on_ms = 0;  ///< 0: no bursts
  double off_ms = 0;
  Lengths lengths = exponential;

  void keys(KeyVisitor& visitor);
};

/// A row of `sizes`.
struct WeightedSize {
  std::int64_t sectors = 0;
  double weight = 0;

  friend bool operator==(const WeightedSize& a, const WeightedSize& b) {
    return a.sectors == b.sectors && a.weight == b.weight;
  }
};

/// A row of `hot_spots`: fractions of the random requests and of the range of addresses.
struct HotSpotParams {
  double requests = 0;
  double space = 0;
  double start = 0;  ///< where it begins in the range
};

/// A row of `mix`: a stream of requests in a part of the range of addresses. Fractions are of that range.
struct MixRow {
  double share = 0;          ///< weight of the stream among the requests
  double reads = 1;          ///< share of its reads
  double start = 0;          ///< where its part begins
  double space = 1;          ///< and how much it takes
  double run = 0;            ///< length of sequential runs in its part; 0: no runs
  bool reuse = false;        ///< a walk with hierarchical reuse (docs/guide/workloads.md)
  std::int64_t sectors = 0;  ///< of each request; 0: as `sizes` and its like say
};

/// Where the requests come from: keys of the section `workload`. docs/guide/workloads.md explains them with examples.
struct WorkloadParams {
  enum Kind { trace, open, closed, none };
  enum Format { automatic, spc, disksim, validate, csv, ssdsim, msr, iolog, blkparse, ftrace };
  enum Separator { separator_by_header, comma, semicolon, tab, space };
  enum TimeZero { as_recorded, first_request };
  enum DeviceLayout { single, concatenate, overlay };
  enum OutOfRange { fail, wrap, scale, drop };
  enum Distribution { exponential, fixed };
  enum Arrivals { exponential_arrivals, fixed_arrivals, pareto_arrivals };

  Kind kind = open;

  // A trace.
  std::string file;
  Format format = automatic;
  std::int64_t skip = 0;
  std::int64_t limit = 0;  ///< 0: none
  TimeZero time_zero = as_recorded;
  double time_scale = 1;
  bool round_to_sectors = false;
  std::vector<double> devices;            ///< empty: all
  std::vector<std::string> device_names;  ///< in place of `devices`: these are devices 0, 1, ...
  DeviceLayout device_layout = single;
  std::vector<double> device_sectors;
  std::vector<double> device_offsets;
  OutOfRange out_of_range = fail;
  std::int64_t source_sectors = 0;  ///< 0: not known
  Separator separator = separator_by_header;
  std::vector<std::string> header;
  ColumnParams columns;
  IologParams iolog_keys;
  BlkparseParams blkparse_keys;
  FtraceParams ftrace_keys;

  // A synthetic stream.
  std::int64_t count = 10'000;
  double rate_per_s = 50;
  Arrivals arrivals = exponential_arrivals;
  double pareto_shape = 1.5;
  BurstParams bursts;
  std::int64_t outstanding = 1;
  double think_ms = 0;
  Distribution think = exponential;
  double read_fraction = 1;
  std::int64_t size_sectors = 8;
  std::vector<WeightedSize> sizes;  ///< empty: size_sectors always
  double size_mean_sectors = 0;     ///< of exponential sizes; 0: none
  double sequential_fraction = 0;
  std::int64_t streams = 1;
  double local_fraction = 0;
  std::int64_t local_sectors = 2048;
  std::vector<HotSpotParams> hot_spots;
  std::vector<MixRow> mix;  ///< empty: one stream, by the keys above
  std::int64_t align_sectors = 8;
  std::int64_t first_lbn = 0;
  std::int64_t last_lbn = -1;  ///< -1: the drive's last

  void keys(KeyVisitor& visitor);
};

/// The source that `params` describe.
/// @param seed            of the run; the same seed gives the same stream on every machine
/// @param drive_sectors   capacity in 512-byte sectors; 0 if not known: then no request is outside
/// @param base_directory  what a relative `file` is relative to: the scenario's directory
/// Throws InputError: a file that is missing or broken at its start, keys that contradict each other.
std::unique_ptr<Source> make_source(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors,
                                    const std::string& base_directory);

}  // namespace armature::workload
