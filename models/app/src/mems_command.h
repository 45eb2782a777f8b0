#pragma once

#include "armature/mems/layout.h"
#include "armature/mems/placement.h"
#include "armature/mems/record_table.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// `armature mems ...`: seek times, layout, equivalence classes and queue studies of a MEMS store (docs/guide/mems.md).
class MemsCommand {
 public:
  /// Adds the command and its options to the program's.
  explicit MemsCommand(CLI::App& app);

  bool wanted() const { return mems_->parsed(); }
  /// Throws InputError for a file that is no store, and for places outside of it.
  int run() const;

 private:
  CLI::App* add(const char* name, const char* meaning);
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
  int records() const;
  int keys() const;
  /// A table as it is, or as JSON; `answer` is a line below it.
  void show(const std::string& table, const std::string& answer = "") const;
  std::uint32_t reach_of(const mems::Layout& store) const { return reach_.value_or(store.reach_cylinders()); }

  CLI::App* mems_;
  CLI::App *seek_, *surface_, *models_, *layout_, *grid_, *classes_, *table_, *regions_, *background_, *schedule_;
  CLI::App *batch_, *placement_, *keys_, *scan_, *lookup_;
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

}  // namespace armature::app
