#include "armature/iss/execution.h"

#include "armature/regs/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace armature::iss {
namespace {

using Cost = Execution::Cost;
using Called = Execution::Called;
using FunctionId = Execution::FunctionId;

constexpr const char* kNoFile = "???";

/// Where a cost belongs: file (by its number, past the last one: unknown) and line.
using Place = std::pair<std::size_t, unsigned>;

struct OfFunction {
  std::map<Place, Cost> self;
  std::map<std::pair<std::uint32_t, FunctionId>, Called> calls;  ///< by site and callee
};

/// All machines of one image.
class Object {
 public:
  explicit Object(const Execution& first) : first_(first), symbols_(first.symbols()) {}

  const Execution& first() const { return first_; }

  void add(const Execution& execution) {
    const std::vector<Execution::Counts>& counts = execution.counts();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i].self.instructions == 0) continue;
      const std::uint32_t pc = regs::soc::kCodeBase + static_cast<std::uint32_t>(i) * 2;
      functions_[execution.function_of(pc)].self[place(pc)] += counts[i].self;
    }
    for (const auto& [call, called] : execution.calls()) {
      Called& sum = functions_[call.caller].calls[{call.site, call.callee}];
      sum.times += called.times;
      sum.inclusive += called.inclusive;
    }
  }

  void write(std::ostream& out, bool cycles) const {
    out << "\nob=" << name_of(first_.image()) << '\n';
    for (const auto& [id, function] : functions_) {
      const std::size_t file = file_of(id);
      out << "fl=" << file_name(file) << "\nfn=" << first_.name(id) << '\n';
      std::size_t current = file;
      const auto go_to = [&](std::size_t other) {
        if (other != current) out << (other == file ? "fe=" : "fi=") << file_name(other) << '\n';
        current = other;
      };
      for (const auto& [at, cost] : function.self) {
        go_to(at.first);
        out << at.second;
        put(out, cost, cycles);
      }
      for (const auto& [to, called] : function.calls) {
        const auto& [site, callee] = to;
        const Place from = site == 0 ? Place{file, 0} : place(site);
        go_to(from.first);
        out << "cfi=" << file_name(file_of(callee)) << "\ncfn=" << first_.name(callee) << "\ncalls=" << called.times
            << ' ' << line_of(callee) << '\n'
            << from.second;
        put(out, called.inclusive, cycles);
      }
    }
  }

 private:
  static void put(std::ostream& out, const Cost& cost, bool cycles) {
    out << ' ' << cost.instructions;
    if (cycles) out << ' ' << cost.cycles;
    out << '\n';
  }

  Place place(std::uint32_t pc) const {
    const Symbols::Row* const row = symbols_.row(pc);
    return row ? Place{row->file, row->line} : Place{symbols_.files().size(), 0};
  }
  Place begin_of(FunctionId id) const {
    if (id < symbols_.functions().size())
      if (const std::optional<Symbols::Row> declared = symbols_.declaration(symbols_.functions()[id]))
        return {declared->file, declared->line};
    return {symbols_.files().size(), 0};
  }
  std::size_t file_of(FunctionId id) const { return begin_of(id).first; }
  unsigned line_of(FunctionId id) const { return begin_of(id).second; }
  const char* file_name(std::size_t file) const {
    return file < symbols_.files().size() ? symbols_.files()[file].c_str() : kNoFile;
  }

  const Execution& first_;
  const Symbols& symbols_;
  std::map<FunctionId, OfFunction> functions_;
};

}  // namespace

void write_callgrind(std::ostream& out, const std::vector<const Execution*>& executions, const std::string& command) {
  std::deque<Object> objects;
  Cost total;
  for (const Execution* execution : executions) {
    auto object = std::find_if(objects.begin(), objects.end(),
                               [&](const Object& o) { return &o.first().image() == &execution->image(); });
    (object == objects.end() ? objects.emplace_back(*execution) : *object).add(*execution);
    total += execution->total();
  }
  const bool cycles = total.cycles > 0;
  out << "# callgrind format\nversion: 1\ncreator: armature\ncmd: " << command << "\npositions: line\n"
      << "event: Ir : Instructions\n";
  if (cycles) out << "event: Cycles : Processor cycles\n";
  out << "events: Ir" << (cycles ? " Cycles" : "") << "\nsummary: " << total.instructions;
  if (cycles) out << ' ' << total.cycles;
  out << '\n';
  for (const Object& object : objects) object.write(out, cycles);
}

}  // namespace armature::iss
