// The keys as a scenario writes them: names, choices and their order.
#include "armature/workload/params.h"

#include "armature/core/config.h"
#include "armature/core/error.h"

#include <gtest/gtest.h>

namespace armature::workload {
namespace {

WorkloadParams parsed(const char* toml) {
  WorkloadParams params;
  config::read(config::parse(toml, "test.toml"), params);
  return params;
}

TEST(WorkloadParams, EveryChoiceOfAScenarioIsTheOneThatTheModelMeans) {
  const std::pair<const char*, int> formats[] = {
      {"auto", WorkloadParams::automatic},    {"spc", WorkloadParams::spc},     {"disksim", WorkloadParams::disksim},
      {"validate", WorkloadParams::validate}, {"csv", WorkloadParams::csv},     {"ssdsim", WorkloadParams::ssdsim},
      {"msr", WorkloadParams::msr},           {"iolog", WorkloadParams::iolog}, {"blkparse", WorkloadParams::blkparse},
      {"ftrace", WorkloadParams::ftrace}};
  for (const auto& [name, value] : formats)
    EXPECT_EQ(parsed(("format = \"" + std::string(name) + "\"").c_str()).format, value) << name;
  EXPECT_EQ(parsed("kind = 'trace'").kind, WorkloadParams::trace);
  EXPECT_EQ(parsed("kind = 'open'").kind, WorkloadParams::open);
  EXPECT_EQ(parsed("kind = 'closed'").kind, WorkloadParams::closed);
  EXPECT_EQ(parsed("time_zero = 'as_recorded'").time_zero, WorkloadParams::as_recorded);
  EXPECT_EQ(parsed("time_zero = 'first_request'").time_zero, WorkloadParams::first_request);
  EXPECT_EQ(parsed("device_layout = 'single'").device_layout, WorkloadParams::single);
  EXPECT_EQ(parsed("device_layout = 'concatenate'").device_layout, WorkloadParams::concatenate);
  EXPECT_EQ(parsed("device_layout = 'overlay'").device_layout, WorkloadParams::overlay);
  EXPECT_EQ(parsed("out_of_range = 'fail'").out_of_range, WorkloadParams::fail);
  EXPECT_EQ(parsed("out_of_range = 'wrap'").out_of_range, WorkloadParams::wrap);
  EXPECT_EQ(parsed("out_of_range = 'scale'").out_of_range, WorkloadParams::scale);
  EXPECT_EQ(parsed("out_of_range = 'drop'").out_of_range, WorkloadParams::drop);
  EXPECT_EQ(parsed("separator = 'auto'").separator, WorkloadParams::separator_by_header);
  EXPECT_EQ(parsed("separator = 'comma'").separator, WorkloadParams::comma);
  EXPECT_EQ(parsed("iolog.time_unit = 'us'").iolog_keys.time_unit, IologParams::microseconds);
  EXPECT_EQ(parsed("iolog.time_unit = 'ms'").iolog_keys.time_unit, IologParams::milliseconds);
  EXPECT_EQ(parsed("iolog.time_unit = 'ns'").iolog_keys.time_unit, IologParams::nanoseconds);
  EXPECT_EQ(parsed("ftrace.event = 'auto'").ftrace_keys.event, FtraceParams::automatic);
  EXPECT_EQ(parsed("ftrace.event = 'queue'").ftrace_keys.event, FtraceParams::queue);
  EXPECT_EQ(parsed("ftrace.event = 'insert'").ftrace_keys.event, FtraceParams::insert);
  EXPECT_EQ(parsed("ftrace.event = 'issue'").ftrace_keys.event, FtraceParams::issue);
  EXPECT_EQ(parsed("separator = 'semicolon'").separator, WorkloadParams::semicolon);
  EXPECT_EQ(parsed("separator = 'space'").separator, WorkloadParams::space);
  EXPECT_EQ(parsed("separator = 'tab'").separator, WorkloadParams::tab);
  EXPECT_EQ(parsed("arrivals = 'fixed'").arrivals, WorkloadParams::fixed);
  EXPECT_EQ(parsed("think = 'exponential'").think, WorkloadParams::exponential);
  const std::pair<const char*, int> units[] = {
      {"by_name", ColumnParams::time_by_name}, {"s", ColumnParams::seconds},
      {"ms", ColumnParams::milliseconds},      {"us", ColumnParams::microseconds},
      {"ns", ColumnParams::nanoseconds},       {"100ns", ColumnParams::hundred_nanoseconds},
      {"ps", ColumnParams::picoseconds}};
  for (const auto& [name, value] : units)
    EXPECT_EQ(parsed(("columns.time_unit = \"" + std::string(name) + "\"").c_str()).columns.time_unit, value) << name;
  EXPECT_EQ(parsed("columns.address_unit = 'bytes'").columns.address_unit, ColumnParams::bytes);
  EXPECT_EQ(parsed("columns.size_unit = 'sectors'").columns.size_unit, ColumnParams::sectors);
  EXPECT_EQ(parsed("columns.op_numbers = 'scsi'").columns.op_numbers, ColumnParams::scsi);
  EXPECT_EQ(parsed("columns.op_numbers = 'read_is_0'").columns.op_numbers, ColumnParams::read_is_0);
  EXPECT_EQ(parsed("columns.op_numbers = 'read_is_1'").columns.op_numbers, ColumnParams::read_is_1);
  EXPECT_EQ(parsed("columns.op_numbers = 'nvme'").columns.op_numbers, ColumnParams::nvme);
}

TEST(WorkloadParams, QuantitiesMayCarryUnits) {
  const WorkloadParams params = parsed(
      "kind = 'closed'\n"
      "size_sectors = '4 KiB'\n"
      "think_ms = '250 us'\n"
      "rate_per_s = '120 requests/s'\n"
      "read_fraction = '60 %'\n"
      "sizes = [[8, 0.7], [128, 0.3]]\n"
      "device_sectors = [100, 200]\n"
      "[columns]\n"
      "time = 'Timestamp'\n");
  EXPECT_EQ(params.size_sectors, 8);
  EXPECT_DOUBLE_EQ(params.think_ms, 0.25);
  EXPECT_DOUBLE_EQ(params.rate_per_s, 120);
  EXPECT_DOUBLE_EQ(params.read_fraction, 0.6);
  EXPECT_EQ(params.sizes, (std::vector<WeightedSize>{{8, 0.7}, {128, 0.3}}));
  EXPECT_EQ(params.device_sectors, (std::vector<double>{100, 200}));
  EXPECT_EQ(params.columns.time, "Timestamp");
}

TEST(WorkloadParams, ValuesOutOfRangeAndUnknownKeysAreErrors) {
  EXPECT_THROW(parsed("read_fraction = 1.5"), InputError);
  EXPECT_THROW(parsed("size_sectors = 0"), InputError);
  EXPECT_THROW(parsed("time_scale = 0"), InputError);
  EXPECT_THROW(parsed("sizes = [[0, 1]]"), InputError);
  EXPECT_THROW(parsed("fromat = 'spc'"), InputError);
}

}  // namespace
}  // namespace armature::workload
