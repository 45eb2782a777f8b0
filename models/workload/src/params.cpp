#include "armature/workload/params.h"

#include "armature/core/typed_keys.h"

namespace armature::workload {
namespace {

constexpr double kMostSectors = 1e15;  // 2^48 sectors are 2.8e14; integers are exact in a double up to 9e15
constexpr double kMostCount = 1e12;

/// A trace: kind = "trace".
void trace_keys(WorkloadParams& p, KeyVisitor& v) {
  v.key("file", p.file, "Trace file, relative to the scenario; may be compressed (gzip, zstd, xz, bzip2, lz4)");
  choice(v, "format", p.format,
         {"auto", "spc", "disksim", "validate", "csv", "ssdsim", "msr", "iolog", "blkparse", "ftrace"},
         "Format of the trace; auto looks at content and name and asks if they do not tell");
  v.key("skip", p.skip, "requests", {0, kMostCount}, "Requests of the trace to leave out at its start");
  v.key("limit", p.limit, "requests", {0, kMostCount}, "Most requests to take from the trace; 0: all");
  choice(v, "time_zero", p.time_zero, {"as_recorded", "first_request"},
         "Where simulated time begins: at the trace's time 0, or at its first request that is taken");
  v.key("time_scale", p.time_scale, "", {1e-6, 1e6}, "Factor of arrival and think times; 0.5 doubles the load");
  v.key("round_to_sectors", p.round_to_sectors,
        "Widen requests of broken sectors to the whole sectors that they touch; otherwise they are errors");
  v.list("devices", p.devices, "", {0, 4294967295.0}, "Devices of the trace to take; empty: all");
  v.list("device_names", p.device_names,
         "The same by their names in the trace, which become devices 0, 1, ... in this order");
  choice(v, "device_layout", p.device_layout, {"single", "concatenate", "overlay"},
         "How several devices share the drive: not at all (an error), one after the other, or on the same addresses");
  v.list("device_sectors", p.device_sectors, "sectors", {1, kMostSectors},
         "Sizes of the devices in the order of `devices`, or of devices 0, 1, ...: for concatenate");
  v.list("device_offsets", p.device_offsets, "sectors", {0, kMostSectors},
         "First LBN of each device, in place of the sum of the sizes before it: for concatenate");
  choice(v, "out_of_range", p.out_of_range, {"fail", "wrap", "scale", "drop"},
         "Requests outside the drive: an error, addresses modulo the drive, all addresses scaled to the drive, or left "
         "out (and counted)");
  v.key("source_sectors", p.source_sectors, "sectors", {0, kMostSectors},
        "Size of the traced device or devices: for scale; 0: the sum of device_sectors");
  choice(v, "separator", p.separator, {"auto", "comma", "semicolon", "tab", "space"},
         "Between the columns of a CSV trace; auto: the one with which the header names columns");
  v.list("header", p.header, "Column names of a CSV trace without a header line");
  v.section("columns", p.columns, "Columns of a CSV trace, where its header does not tell by itself");
  v.section("iolog", p.iolog_keys, "What an fio iolog leaves open");
  v.section("blkparse", p.blkparse_keys, "What of blkparse's events is a request");
  v.section("ftrace", p.ftrace_keys, "What of the kernel's block events is a request");
}

/// When synthetic requests arrive.
void arrival_keys(WorkloadParams& p, KeyVisitor& v) {
  v.key("count", p.count, "requests", {1, kMostCount}, "Synthetic requests in all");
  v.key("rate_per_s", p.rate_per_s, "requests/s", {1e-4, 1e9}, "Mean arrival rate: for open");
  choice(v, "arrivals", p.arrivals, {"exponential", "fixed", "pareto"},
         "Distribution of the time between arrivals: for open");
  v.key("pareto_shape", p.pareto_shape, "", {1.01, 100},
        "Shape a of Pareto arrivals; the smallest gap is mean (a - 1) / a. At 2 and below the variance is infinite");
  v.section("bursts", p.bursts,
            "Open arrivals in bursts with silence between them; rate_per_s stays the mean over both");
  v.key("outstanding", p.outstanding, "requests", {1, 65'536}, "Requests in flight or thought about: for closed");
  v.key("think_ms", p.think_ms, "ms", {0, 1e7}, "Mean time from a completion to the next arrival: for closed");
  choice(v, "think", p.think, {"exponential", "fixed"}, "Distribution of that time");
}

/// What synthetic requests ask for.
void request_keys(WorkloadParams& p, KeyVisitor& v) {
  v.key("read_fraction", p.read_fraction, "", {0, 1}, "Share of reads; the others are writes");
  v.key("size_sectors", p.size_sectors, "sectors", {1, 65'536}, "Size of every request, if `sizes` is empty");
  rows(v, "sizes", p.sizes,
       {{"size", "sectors", &WeightedSize::sectors, {1, 65'536}}, {"weight", "", &WeightedSize::weight, {0, 1e12}}},
       "Sizes of requests with their weights: [[8, 0.7], [128, 0.3]]");
  v.key("size_mean_sectors", p.size_mean_sectors, "sectors", {0, 4096},
        "Mean of exponential sizes, in whole multiples of align_sectors and at least one; 0: `sizes` or size_sectors");
  v.key("sequential_fraction", p.sequential_fraction, "", {0, 1},
        "Share of requests that begin where the one before of their stream ended");
  v.key("streams", p.streams, "", {1, 65'536},
        "Sequential streams, each in an equal part of the range; open arrivals take turns among them, those in flight "
        "of closed ones are divided among them");
  v.key("local_fraction", p.local_fraction, "", {0, 1},
        "Share of requests within local_sectors of the start of the one before");
  v.key("local_sectors", p.local_sectors, "sectors", {1, kMostSectors},
        "Longest step of a local request; it is uniform over both directions");
  rows(v, "hot_spots", p.hot_spots,
       {{"requests", "", &HotSpotParams::requests, {0, 1}},
        {"space", "", &HotSpotParams::space, {0, 1}},
        {"start", "", &HotSpotParams::start, {0, 1}}},
       "Shares of the random requests, of the range of addresses, and where it begins in the range: [[0.8, 0.2, 0]]. "
       "The rest of the requests is uniform over the rest of the range");
  rows(
      v, "mix", p.mix,
      {{"share", "", &MixRow::share, {0, 1e12}},
       {"reads", "", &MixRow::reads, {0, 1}},
       {"start", "", &MixRow::start, {0, 1}},
       {"space", "", &MixRow::space, {0, 1}},
       {"run", "", &MixRow::run, {0, 1}},
       {"reuse", "", &MixRow::reuse, {0, 1}},
       {"sectors", "sectors", &MixRow::sectors, {0, 65'536}}},
      "Streams of requests in place of one: weight, share of reads, where in the range its part begins and how much it "
      "takes, length of sequential runs (fraction of the range; 0: none), hierarchical reuse (1) or not, sectors a "
      "request (0: `sizes` and its like). Without runs and reuse addresses are uniform over the part");
  v.key("align_sectors", p.align_sectors, "sectors", {1, 65'536}, "Uniform addresses are multiples of this");
  v.key("first_lbn", p.first_lbn, "", {0, kMostSectors}, "First LBN of the range of addresses");
  v.key("last_lbn", p.last_lbn, "", {-1, kMostSectors}, "Last LBN of the range; -1: the drive's last");
}

}  // namespace

void ColumnParams::keys(KeyVisitor& v) {
  const std::vector<std::string_view> time_units = {"by_name", "s", "ms", "us", "ns", "100ns", "ps"};
  const std::vector<std::string_view> data_units = {"by_name", "sectors", "bytes"};
  v.key("time", time, "Column of the arrival time");
  choice(v, "time_unit", time_unit, time_units, "Its unit; by_name: the end of the column's name (time_us)");
  v.key("device", device, "Column of the device: a number or a name");
  v.key("device_minor", device_minor, "Column of the minor number, where that of the device has the major one alone");
  v.key("address", address, "Column of the first sector or byte");
  choice(v, "address_unit", address_unit, data_units, "Its unit");
  v.key("address_sector_bytes", address_sector_bytes, "B", {128, 4096},
        "Sector that addresses and sizes in sectors count, for drives of another than 512: a power of two");
  v.key("size", size, "Column of the request's size");
  choice(v, "size_unit", size_unit, data_units, "Its unit");
  v.key("op", op, "Column of the operation");
  choice(v, "op_numbers", op_numbers, {"scsi", "read_is_0", "read_is_1", "nvme"},
         "What a number in that column means: SCSI operation codes in hexadecimal (28 reads, 2a writes), 0 or 1, NVMe "
         "(2 reads, 1 writes, 0 flushes)");
  v.key("flags", flags, "Column of flags (fua)");
  v.key("measured", measured, "Column of the response time measured on the real drive");
  choice(v, "measured_unit", measured_unit, time_units, "Its unit");
}

void IologParams::keys(KeyVisitor& v) {
  v.key("in_flight", in_flight, "requests", {1, 65'536},
        "Requests in flight of an iolog without times (version 2): the next one arrives when one completes");
  choice(v, "time_unit", time_unit, {"us", "ms", "ns"}, "Unit of the times of version 3; fio writes and replays us");
  choice(v, "wait", wait, {"ms_since_start", "us_since_wait"},
         "What the number of a wait line of version 2 means: ms since the start, as fio replays it, or us since the "
         "wait before it, as its manual says");
}

void BlkparseParams::keys(KeyVisitor& v) {
  choice(v, "action", action, {"q", "d"},
         "Events of blkparse's text that are requests: q, queued by whoever asks, or d, issued to the driver after "
         "merging and scheduling");
  v.key("format", format,
        "What blkparse was told to print, its option -f: \"%D %T.%9t %a %d %S %n\\n\"; empty: its default output");
}

void FtraceParams::keys(KeyVisitor& v) {
  choice(v, "event", event, {"auto", "queue", "insert", "issue"},
         "Events that are requests: block_bio_queue (asked for), block_rq_insert (given to the scheduler) or "
         "block_rq_issue (issued to the driver); auto: the first of queue, issue, insert that the trace's beginning "
         "holds");
}

void BurstParams::keys(KeyVisitor& v) {
  v.key("on_ms", on_ms, "ms", {0, 1e9}, "Mean length of a burst; requests arrive in bursts only. 0: no bursts");
  v.key("off_ms", off_ms, "ms", {0, 1e9}, "Mean length of the silence between two bursts");
  choice(v, "lengths", lengths, {"exponential", "fixed"}, "Distribution of both");
}

void WorkloadParams::keys(KeyVisitor& v) {
  choice(v, "kind", kind, {"trace", "open", "closed", "none"},
         "trace: requests of a file; open: synthetic arrivals at a rate; closed: a number of requests in flight; none: "
         "no requests, the host sends only host.commands (what a scenario without a section workload has then)");

  trace_keys(*this, v);
  arrival_keys(*this, v);
  request_keys(*this, v);
}

}  // namespace armature::workload
