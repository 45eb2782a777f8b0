#include "armature/mems_commands/commands.h"

#include "armature/cli/status.h"
#include "armature/core/config.h"
#include "armature/core/output_file.h"
#include "armature/mems/equivalence.h"
#include "armature/mems/layout.h"
#include "armature/mems/placement.h"
#include "armature/mems/record_table.h"
#include "armature/workload/params.h"
#include "armature/workload/source.h"
#include "tables.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace armature::mems_commands {
namespace {

/// `armature mems ...`: seek times, layout, equivalence classes and queue studies of a MEMS store (docs/guide/mems.md).
class MemsCommand {
 public:
  MemsCommand(const cli::Command& program, StoreFiles files);

 private:
  cli::Command add(const char* name, const char* meaning, int (MemsCommand::*action)() const);
  void add_background();
  void add_schedule();
  void add_records();
  int seek() const;
  int surface() const;
  int models() const;
  int layout() const;
  int grid() const;
  int classes() const;
  int batch() const;
  int table() const;
  int regions() const;
  int placement() const;
  int background() const;
  int schedule() const;
  mems::RecordTable records() const;
  int scan() const;
  int lookup() const;
  int keys() const;
  /// A table as it is, or as JSON; `answer` is a line below it.
  void show(const std::string& table, const std::string& answer = "") const;
  std::uint32_t reach_of(const mems::Layout& store) const { return reach_.value_or(store.reach_cylinders()); }

  StoreFiles files_;
  cli::Command mems_;
  std::string file_;
  std::vector<std::string> sets_;
  std::string from_ = "0,0";
  std::string to_;
  std::string list_;
  std::string svg_;
  std::int64_t points_ = 51;
  std::string end_ = "rest";
  std::string block_;
  std::optional<std::uint32_t> reach_;
  std::vector<std::string> blocks_;
  bool search_ = false;
  bool check_ = false;
  std::uint32_t requests_ = 10'000;
  std::uint64_t seed_ = 1;
  std::uint32_t runs_ = 1;
  double largest_mib_ = mems::PlacementStudy::kLargestMib;
  std::uint32_t across_ = 5;
  std::string trace_;
  std::string trace_layout_ = "capsule";
  double rate_ = 0;
  std::uint32_t arrivals_ = 20'000;
  std::string policies_ = "fcfs,clook,sstf,sptf,sdf";
  bool drain_ = false;
  std::uint32_t sectors_ = 8;
  bool json_ = false;
  mems::RecordTable table_of_;  // attributes and page size are in the two below
  std::string attributes_ = "8,32,15,16";
  std::uint32_t page_kb_ = 8;
  std::string read_ = "all";
  std::uint64_t of_ = 1;
  bool inactive_ = false;
  std::string key_;
};

/// The requests of a trace that lie on the store.
std::vector<mems::StudyRequest> requests_of(const std::string& trace, const mems::Layout& layout) {
  workload::WorkloadParams params;
  params.kind = workload::WorkloadParams::trace;
  params.file = trace;
  params.device_layout = workload::WorkloadParams::overlay;
  const auto source = workload::make_source(params, 1, layout.blocks(), "");
  std::vector<mems::StudyRequest> requests;
  workload::Request request;
  for (;;) {
    const workload::Source::Next next = source->next(request);
    if (next == workload::Source::Next::end) return requests;
    if (next == workload::Source::Next::after_completion)
      throw InputError(source->place(), "a closed loop: this study needs times of arrival");
    if (request.sectors == 0) continue;  // a flush: nothing is cached here
    requests.push_back({request.arrival, request.lbn, request.sectors, request.operation == Operation::write});
  }
}

}  // namespace

cli::Command MemsCommand::add(const char* name, const char* meaning, int (MemsCommand::*action)() const) {
  const cli::Command command = mems_.add_command(name, meaning).runs([this, action] { return (this->*action)(); });
  command.add_option("FILE", file_, "the store's file (scenarios/drives/mems)").required();
  command.add_option("--set", sets_, "a key of the file: --set tips.active=640").one_at_a_time().type_name("KEY=VALUE");
  command.add_flag("--json", json_, "the table as JSON, an object a row, in place of tab-separated lines");
  return command;
}

MemsCommand::MemsCommand(const cli::Command& program, StoreFiles files)
    : files_(std::move(files)),
      mems_(program.add_command("mems", "a MEMS store: seek times, layout, classes, queues (docs/guide/mems.md)")) {
  mems_.require_command();
  const cli::Command seek = add("seek", "time of a seek, or of the seeks of a table", &MemsCommand::seek);
  seek.add_option("--from", from_, "where it begins, bits from the middle; 0,0 if left out").type_name("X,Y[,SPEED]");
  const cli::Option to =
      seek.add_option("--to", to_, "where it ends; SPEED in Y: up, down, rest or nm/s").type_name("X,Y[,SPEED]");
  seek.add_option("--table", list_, "seeks of a table (CSV): start_x_bit, start_y_bit, end_x_bit, end_y_bit, ...")
      .type_name("FILE")
      .excludes(to);
  seek.add_option("--svg", svg_, "a picture of the way").type_name("FILE");

  const cli::Command surface = add("surface", "seek times from one place to a grid of others", &MemsCommand::surface);
  surface.add_option("--from", from_, "where the seeks begin; 0,0 if left out").type_name("X,Y[,SPEED]");
  surface.add_option("--end", end_, "speed in Y at their ends: up, down, rest or nm/s").type_name("SPEED");
  surface.add_option("--points", points_, "points in X, and in Y (51)").range(2, 501);
  surface.add_option("--svg", svg_, "a picture of the surface").type_name("FILE");

  const cli::Command models =
      add("models", "differences of the seek models, from a corner and from the middle", &MemsCommand::models);
  models.add_option("--points", points_, "targets in X, and in Y (51)").range(2, 501);

  const cli::Command layout = add("layout", "capacity, tracks and rates; or where a block lies", &MemsCommand::layout);
  layout.add_option("--block", block_, "a block").type_name("LBN");
  add("grid", "block numbers as they lie on the medium of a small store", &MemsCommand::grid);

  const cli::Command classes =
      add("classes", "blocks that lie under the tips together with one, or a check of all", &MemsCommand::classes);
  classes.add_option("LBN", block_, "the block");
  classes.add_option("--reach", reach_, "bits in X by which tips can be moved one by one, in place of tips.reach_bits")
      .type_name("BITS");
  classes.add_flag("--search", search_, "look at every block in place of the formula");
  classes.add_flag("--check", check_, "the formula against every block of the store");

  const cli::Command batch =
      add("batch", "can one pass serve these blocks? Exit status 1 if not, and why", &MemsCommand::batch);
  batch.add_option("LBN", blocks_, "the blocks, in the order in which they are wanted").required();
  batch.add_option("--reach", reach_, "bits in X by which tips can be moved one by one, in place of tips.reach_bits")
      .type_name("BITS");

  const cli::Command table = add("table", "random requests beside table 3.2 of the dissertation", &MemsCommand::table);
  table.add_option("--requests", requests_, "how many (10,000)").range(1, 10'000'000);
  table.add_option("--seed", seed_, "seed of the random streams (1)").range(0.0, 1e15);

  const cli::Command regions =
      add("regions", "mean time of reads that stay within a subregion, for each of them", &MemsCommand::regions);
  regions.add_option("--across", across_, "subregions in X, and in Y (5)").range(1, 1000);
  regions.add_option("--requests", requests_, "reads in each (10,000)").range(1, 10'000'000);
  regions.add_option("--seed", seed_, "seed of the random streams (1)").range(0.0, 1e15);

  add_background();
  add_schedule();
  add_records();
  mems_.add_command("keys", "the keys of a store's file: unit, range, default, meaning")
      .runs([this] { return keys(); })
      .add_option("KEY", key_, "a key, a section or a glob; all if left out");
}

void MemsCommand::add_background() {
  const cli::Command placement =
      add("placement", "mean time of reads of whole files, by where files lie: random, organ pipe, ...",
          &MemsCommand::placement);
  placement.add_option("--requests", requests_, "reads of files (10,000)").range(1, 10'000'000);
  placement.add_option("--seed", seed_, "seed of the random streams (1)").range(0.0, 1e15);
  placement.add_option("--runs", runs_, "runs with seeds that follow each other, of which the means are given (1)")
      .range(1, 1000);
  placement.add_option("--largest-mib", largest_mib_, "size of the largest file, MiB (8)")
      .range(1.001, 1024.0)
      .number();

  const cli::Command background =
      add("background", "how long it takes to read a store with the tips that random requests leave unused",
          &MemsCommand::background);
  background
      .add_option("--sectors", sectors_,
                  "size of a request in sectors of 512 bytes; it begins at a multiple of them (8)")
      .range(1, 65'536);
  background.add_option("--rate", rate_, "requests a second").range(1e-3, 1e6).number().required();
  background
      .add_option("--reach", reach_, "bits in X by which tips can be moved one by one, in place of tips.reach_bits")
      .type_name("BITS");
  background.add_option("--seed", seed_, "seed of the random streams (1)").range(0.0, 1e15);
  background
      .add_option("--runs", runs_,
                  "runs with seeds that follow each other: means, and the shortest and longest time (1)")
      .range(1, 1000);
}

void MemsCommand::add_schedule() {
  const cli::Command schedule =
      add("schedule", "response times by policy, of a trace or of random requests", &MemsCommand::schedule);
  const cli::Option trace = schedule.add_option("TRACE", trace_, "the trace, with times of arrival; may be compressed");
  schedule.add_option("--rate", rate_, "random requests as those of `table`, so many a second")
      .range(1e-3, 1e6)
      .number()
      .excludes(trace);
  schedule.add_option("--requests", arrivals_, "how many of them (20,000)").range(1, 10'000'000);
  schedule.add_option("--seed", seed_, "seed of their random streams (1)").range(0.0, 1e15);
  schedule
      .add_option("--policy", policies_, "one or several of fcfs, clook, sstf, sptf, sdf, zsptf, mst (the first five)")
      .type_name("NAME,...");
  schedule.add_flag("--drain", drain_, "count every request, also those that end behind the last arrival");
}

void MemsCommand::add_records() {
  const cli::Command scan =
      add("scan", "how long the scan of a table of records takes, laid out in pages, columns and capsules",
          &MemsCommand::scan);
  const cli::Command lookup = add("lookup", "mean time of reads of some records of such a table", &MemsCommand::lookup);
  for (const cli::Command& command : {scan, lookup}) {
    command.add_option("--read", read_, "attributes that are wanted: a1, a1+a3, ... (all)").type_name("NAME+NAME...");
    command.add_option("--records", table_of_.records, "records of the table (10,000,000)").range(1, 2'000'000'000);
    command.add_option("--attributes", attributes_, "bytes of each attribute, a1 first (8,32,15,16)")
        .type_name("BYTES,...");
    command.add_option("--page-kb", page_kb_, "size of a page in KiB (8)").range(1, 1024);
    command.add_option("--capsule-records", table_of_.capsule_records, "records of a capsule (60)").range(1, 100'000);
    command
        .add_option("--capsules", table_of_.capsules_per_class,
                    "capsules of an equivalence class (0: as many as a capsule has blocks)")
        .range(0, 100'000);
    command.add_option("--cylinder", table_of_.first_cylinder, "cylinder with which the table begins (0)")
        .range(0, 10'000'000);
  }
  const cli::Option trace =
      scan.add_option("--trace", trace_, "write the reads of the scan as a trace for `armature run`, all at time 0")
          .type_name("FILE");
  scan.add_option("--layout", trace_layout_, "layout of the trace: normal, vertical or capsule (capsule)")
      .type_name("NAME")
      .needs(trace);
  lookup.add_option("--of", of_, "successive records that are wanted, beginning with any (1)").range(1, 2'000'000'000);
  lookup.add_option("--lookups", requests_, "reads of which the mean is taken (10,000)").range(1, 10'000'000);
  lookup.add_flag("--inactive", inactive_, "the sled lies inactive before each, and starts");
  lookup.add_option("--seed", seed_, "seed of the random streams (1)").range(0.0, 1e15);
}

int MemsCommand::seek() const {
  const mems::MemsParams params = files_.load(file_, sets_);
  if (!list_.empty()) {
    show(seek_list(list_, params));
    return kOk;
  }
  if (to_.empty()) throw InputError("mems seek: --to X,Y or --table FILE is needed");
  const mems::Layout store(params);
  const mems::SledState from = sled_state(from_, "--from", store), to = sled_state(to_, "--to", store);
  show(seek_header() + seek_row(mems::SledModel(params).time(from, to)));
  if (!svg_.empty()) write_output_file(svg_, path_picture(params, from, to));
  return kOk;
}

int MemsCommand::surface() const {
  const mems::MemsParams params = files_.load(file_, sets_);
  const mems::Layout store(params);
  const mems::SledModel model(params);
  const mems::SledState from = sled_state(from_, "--from", store);
  const std::int64_t end = sled_state("0,0," + end_, "--end", store).y_speed_nm_s;
  std::string text = "x_bit\ty_bit\t" + seek_header();
  for (std::int64_t i = 0; i < points_; ++i)
    for (std::int64_t j = 0; j < points_; ++j) {
      const auto at = [this](std::int64_t number, std::int32_t reach) {
        return static_cast<std::int32_t>(-reach + 2 * reach * number / (points_ - 1));
      };
      const mems::SledState to{at(i, store.reach_x()), at(j, store.reach_y()), end};
      text += fmt::format("{}\t{}\t{}", to.x, to.y, seek_row(model.time(from, to)));
    }
  show(text);
  if (!svg_.empty()) write_output_file(svg_, surface_picture(params, from, end, points_));
  return kOk;
}

int MemsCommand::models() const {
  show(model_table(files_.load(file_, sets_), points_));
  return kOk;
}

namespace {

std::uint64_t block_of(const std::string& text, const mems::Layout& layout) {
  std::uint64_t lbn = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), lbn);
  if (error != std::errc() || stop != text.data() + text.size())
    throw InputError(fmt::format("LBN {}: the number of a block is expected", text));
  if (lbn >= layout.blocks())
    throw InputError(fmt::format("LBN {}: the store has only {} blocks", lbn, layout.blocks()));
  return lbn;
}

}  // namespace

int MemsCommand::layout() const {
  const mems::MemsParams params = files_.load(file_, sets_);
  show(block_.empty() ? layout_table(params) : block_table(params, block_of(block_, mems::Layout(params))));
  return kOk;
}

int MemsCommand::grid() const {
  const std::string text = grid_table(mems::Layout(files_.load(file_, sets_)));
  fmt::print("{}", json_ ? grid_as_json(text) : text);
  return kOk;
}

int MemsCommand::classes() const {
  const mems::Layout store(files_.load(file_, sets_));
  const mems::EquivalenceClasses classes(store, reach_of(store));
  if (check_) {
    const mems::EquivalenceClasses::Check found = classes.check();
    show(fmt::format("blocks\tpositions\tblocks_elsewhere\tpositions_that_differ\n{}\t{}\t{}\t{}\n", found.blocks,
                     found.classes, found.wrong_positions, found.wrong_classes));
    return found.wrong_positions + found.wrong_classes == 0 ? kOk : kMismatch;
  }
  if (block_.empty()) throw InputError("mems classes: a block or --check is needed");
  const std::uint64_t lbn = block_of(block_, store);
  show(class_table(store, search_ ? classes.by_search(lbn) : classes.by_formula(lbn)));
  return kOk;
}

int MemsCommand::batch() const {
  const mems::Layout store(files_.load(file_, sets_));
  std::vector<std::uint64_t> lbns;
  for (const std::string& text : blocks_) lbns.push_back(block_of(text, store));
  const BatchAnswer answer = batch_answer(store, reach_of(store), lbns);
  show(class_table(store, lbns), answer.text);
  return answer.one_pass ? kOk : kMismatch;
}

int MemsCommand::table() const {
  show(random_table(files_.load(file_, sets_), requests_, seed_));
  return kOk;
}

int MemsCommand::regions() const {
  show(region_table(files_.load(file_, sets_), across_, requests_, seed_));
  return kOk;
}

int MemsCommand::placement() const {
  show(placement_table(files_.load(file_, sets_), requests_, seed_, runs_, largest_mib_));
  return kOk;
}

int MemsCommand::background() const {
  const mems::Layout store(files_.load(file_, sets_));
  if (store.blocks() % sectors_ != 0)
    throw InputError(
        fmt::format("--sectors {}: the {} blocks of the store are not a multiple of that, so that no "
                    "request would read the last ones",
                    sectors_, store.blocks()));
  show(background_table(store, reach_of(store), sectors_, rate_, seed_, runs_));
  return kOk;
}

int MemsCommand::schedule() const {
  const mems::MemsParams params = files_.load(file_, sets_);
  std::vector<mems::Policy> policies;
  for (std::size_t begin = 0; begin <= policies_.size();) {
    const std::size_t end = std::min(policies_.find(',', begin), policies_.size());
    policies.push_back(mems::policy_of(policies_.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (trace_.empty() && rate_ == 0) throw InputError("mems schedule: a trace or --rate is needed");
  const mems::Layout store(params);
  const auto requests =
      trace_.empty() ? random_requests(store, 1000 / rate_, arrivals_, seed_) : requests_of(trace_, store);
  if (store.sleds() > 1) throw InputError("sled.count: a queue's study is of one sled");
  std::string text = schedule_header();
  if (!json_) fmt::print("{}", text);
  bool none = false;
  for (const mems::Policy policy : policies) {
    const ScheduleRow row = schedule_row(params, policy, requests, drain_);
    text += row.text;
    if (!json_) fmt::print("{}", row.text);
    std::fflush(stdout);
    none = none || row.counted == 0;
  }
  if (json_) show(text);
  if (none)
    fmt::print(stderr,
               "mems schedule: no request had ended when the last one arrived, and only those are counted; --drain "
               "counts all\n");
  return kOk;
}

namespace {

/// Numbers of the attributes that a text such as "a1+a3" names; all of them for "all".
std::vector<std::size_t> attributes_of(const std::string& text, std::size_t count) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; text == "all" && i < count; ++i) numbers.push_back(i);
  for (std::size_t begin = 0; text != "all" && begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    std::size_t number = 0;
    const char* const digits = text.data() + begin + 1;
    const auto [stop, error] = std::from_chars(std::min(digits, text.data() + end), text.data() + end, number);
    const std::size_t next = numbers.empty() ? 1 : numbers.back() + 2;
    if (end == begin || text[begin] != 'a' || error != std::errc() || stop != text.data() + end || number < next ||
        number > count)
      throw InputError(fmt::format(
          "--read {}: all is expected, or names out of a1 to a{} in their order with + between them", text, count));
    numbers.push_back(number - 1);
    begin = end + 1;
  }
  return numbers;
}

std::vector<std::uint32_t> sizes_of(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::uint32_t size = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, size);
    if (error != std::errc() || stop != text.data() + end)
      throw InputError(fmt::format("--attributes {}: bytes of each attribute are expected, such as 8,32,15,16", text));
    sizes.push_back(size);
    begin = end + 1;
  }
  return sizes;
}

}  // namespace

mems::RecordTable MemsCommand::records() const {
  mems::RecordTable table = table_of_;
  table.attributes = sizes_of(attributes_);
  table.page_bytes = page_kb_ * 1024;
  return table;
}

int MemsCommand::scan() const {
  const mems::RecordTable table = records();
  const mems::RecordStudy study(files_.load(file_, sets_), table);
  const std::vector<std::size_t> wanted = attributes_of(read_, table.attributes.size());
  if (!trace_.empty()) write_output_file(trace_, scan_trace(study, trace_layout_, wanted, table.records));
  show(scan_table(study, table, wanted));
  return kOk;
}

int MemsCommand::lookup() const {
  const mems::RecordTable table = records();
  const mems::RecordStudy study(files_.load(file_, sets_), table);
  const std::vector<std::size_t> wanted = attributes_of(read_, table.attributes.size());
  show(lookup_table(study, wanted, of_, requests_, inactive_, seed_));
  return kOk;
}

void MemsCommand::show(const std::string& table, const std::string& answer) const {
  if (json_)
    fmt::print("{}", table_as_json(table, answer));
  else
    fmt::print("{}{}{}", table, answer, answer.empty() ? "" : "\n");
}

int MemsCommand::keys() const {
  fmt::print("{}", files_.keys(key_));
  return kOk;
}

void add(const cli::Command& program, StoreFiles files) {
  program.add<MemsCommand>(std::move(files));
}

}  // namespace armature::mems_commands
