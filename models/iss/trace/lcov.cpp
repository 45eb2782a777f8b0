#include "armature/iss/execution.h"

#include "armature/regs/soc.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace armature::iss {
namespace {

struct Branch {
  unsigned line;
  std::uint64_t executed, taken;
};

struct Function {
  unsigned line;
  std::uint64_t entered;
};

struct File {
  std::map<std::string, Function> functions;
  std::vector<Branch> branches;
  std::map<unsigned, std::uint64_t> lines;
};

std::size_t index(std::uint32_t pc) {
  return (pc - regs::soc::kCodeBase) / 2;
}

/// What all machines of an image did, into `files`.
void add(const std::vector<const Execution*>& same, std::map<std::string, File>& files) {
  const Symbols& symbols = same.front()->symbols();
  const auto executed = [&](std::uint32_t pc) {
    std::uint64_t sum = 0;
    for (const Execution* execution : same)
      if (index(pc) < execution->counts().size()) sum += execution->counts()[index(pc)].self.instructions;
    return sum;
  };
  const auto taken = [&](std::uint32_t pc) {
    std::uint64_t sum = 0;
    for (const Execution* execution : same)
      if (index(pc) < execution->counts().size()) sum += execution->counts()[index(pc)].taken;
    return sum;
  };
  std::map<std::pair<std::uint32_t, unsigned>, std::uint64_t> lines;  // by file and line
  for (const Symbols::Row& row : symbols.rows()) {
    std::uint64_t& most = lines[{row.file, row.line}];
    for (std::uint32_t pc = row.begin; pc < row.end; pc += 2) {
      most = std::max(most, executed(pc));
      const bool branches =
          std::any_of(same.begin(), same.end(), [pc](const Execution* one) { return one->is_branch(pc); });
      if (branches) files[symbols.files()[row.file]].branches.push_back({row.line, executed(pc), taken(pc)});
    }
  }
  for (const auto& [place, times] : lines) files[symbols.files()[place.first]].lines[place.second] += times;
  for (const Symbols::Function& function : symbols.functions()) {
    const std::optional<Symbols::Row> declared = symbols.declaration(function);
    if (!declared) continue;
    Function& entry = files[symbols.files()[declared->file]]
                          .functions.try_emplace(function.name, Function{declared->line, 0})
                          .first->second;
    entry.entered += executed(function.begin);
  }
}

void write(std::ostream& out, const std::string& path, File& file) {
  const auto hit = [](const auto& all, const auto& times) {
    return std::count_if(all.begin(), all.end(), [&](const auto& one) { return times(one) > 0; });
  };
  out << "TN:\nSF:" << path << '\n';
  for (const auto& [name, function] : file.functions) out << "FN:" << function.line << ',' << name << '\n';
  for (const auto& [name, function] : file.functions) out << "FNDA:" << function.entered << ',' << name << '\n';
  out << "FNF:" << file.functions.size()
      << "\nFNH:" << hit(file.functions, [](const auto& one) { return one.second.entered; }) << '\n';
  std::stable_sort(file.branches.begin(), file.branches.end(),
                   [](const Branch& a, const Branch& b) { return a.line < b.line; });
  std::size_t ways_gone = 0;
  for (std::size_t i = 0; i < file.branches.size(); ++i) {
    const Branch& branch = file.branches[i];
    const std::uint64_t ways[] = {branch.taken, branch.executed - branch.taken};
    for (int way = 0; way < 2; ++way) {
      out << "BRDA:" << branch.line << ',' << i << ',' << way << ','
          << (branch.executed > 0 ? std::to_string(ways[way]) : "-") << '\n';
      ways_gone += ways[way] > 0;
    }
  }
  if (!file.branches.empty()) out << "BRF:" << 2 * file.branches.size() << "\nBRH:" << ways_gone << '\n';
  for (const auto& [line, times] : file.lines) out << "DA:" << line << ',' << times << '\n';
  out << "LF:" << file.lines.size() << "\nLH:" << hit(file.lines, [](const auto& one) { return one.second; })
      << "\nend_of_record\n";
}

}  // namespace

void write_lcov(std::ostream& out, const std::vector<const Execution*>& executions) {
  std::map<std::string, File> files;
  std::set<const Image*> done;
  for (const Execution* execution : executions) {
    if (!done.insert(&execution->image()).second) continue;
    std::vector<const Execution*> same;
    for (const Execution* other : executions)
      if (&other->image() == &execution->image()) same.push_back(other);
    add(same, files);
  }
  for (auto& [path, file] : files) write(out, path, file);
}

}  // namespace armature::iss
