#include "armature/iss/execution.h"

#include "armature/regs/soc.h"

#include <algorithm>
#include <utility>

namespace armature::iss {
namespace {

namespace soc = regs::soc;

constexpr std::size_t kHalfWords = soc::kCodeMaxBytes / 2;

bool is_link(std::uint32_t reg) {
  return reg == 1 || reg == 5;
}

}  // namespace

Execution::Execution(Machine& machine, std::function<std::string(unsigned)> name_of_line)
    : machine_(machine),
      image_(machine.image()),
      symbols_(symbols_of(image_)),
      name_of_line_(std::move(name_of_line)),
      functions_(kHalfWords, unknown()),
      kinds_(kHalfWords, Kind::unknown),
      counts_(kHalfWords) {
  const std::vector<Symbols::Function>& all = symbols_.functions();
  for (FunctionId id = 0; id < all.size(); ++id)
    for (std::uint32_t pc = all[id].begin & ~1u; pc < all[id].end && pc - soc::kCodeBase < soc::kCodeMaxBytes; pc += 2)
      functions_[index(pc)] = id;
  push_root(unknown() + 1);
  machine.watch(*this);
}

std::size_t Execution::index(std::uint32_t pc) const {
  return std::min<std::size_t>((pc - soc::kCodeBase) / 2, kHalfWords - 1);
}

Execution::FunctionId Execution::function_of(std::uint32_t pc) const {
  return functions_[index(pc)];
}

std::string Execution::name(FunctionId id) const {
  if (id < unknown()) return symbols_.functions()[id].name;
  if (id == unknown()) return "???";
  const unsigned line = id - unknown() - 2;
  return "[" + (id == unknown() + 1 ? std::string("reset") : name_of_line_(line)) + "]";
}

bool Execution::is_branch(std::uint32_t pc) const {
  return kinds_[index(pc)] == Kind::branch;
}

/// Opcodes: "The RISC-V Instruction Set Manual, Volume I", tables 24.1 and 16.5 to 16.7; which registers link: 2.5.
Execution::Kind Execution::kind_of(std::uint32_t pc) {
  Kind& kind = kinds_[index(pc)];
  if (kind != Kind::unknown) return kind;
  std::uint32_t word = 0;
  if (!machine_.read(pc, &word, 4)) machine_.read(pc, &word, 2);
  const auto bits = [&](unsigned from, unsigned count) { return word >> from & ((1u << count) - 1); };
  kind = Kind::plain;
  if ((word & 3u) == 3u) {
    const std::uint32_t opcode = bits(0, 7), rd = bits(7, 5), rs1 = bits(15, 5);
    if (opcode == 0x63) kind = Kind::branch;
    if (opcode == 0x6f && is_link(rd)) kind = Kind::call;
    if (opcode == 0x67) kind = is_link(rd) ? Kind::call : is_link(rs1) && rd == 0 ? Kind::leave : Kind::plain;
  } else {
    const std::uint32_t quadrant = bits(0, 2), function = bits(13, 3);
    if (quadrant == 1 && function >= 6) kind = Kind::branch;
    if (quadrant == 1 && function == 1) kind = Kind::call;
    if (quadrant == 2 && function == 4 && bits(2, 5) == 0 && bits(7, 5) != 0)  // c.jr, c.jalr
      kind = bits(12, 1) != 0 ? Kind::call : is_link(bits(7, 5)) ? Kind::leave : Kind::plain;
  }
  return kind;
}

std::uint32_t Execution::after(std::uint32_t pc) const {
  std::uint16_t half = 0;
  machine_.read(pc, &half, 2);
  return pc + ((half & 3u) == 3u ? 4 : 2);
}

/// Counts the last instruction if it has retired since. False: it has not.
bool Execution::settle() {
  const Cost at{machine_.instructions(), machine_.cycles()};
  const bool retired = executing_ && at.instructions > last_.instructions;
  if (retired) {
    counts_[index(previous_)].self += at - last_;
    last_ = at;
    executing_ = false;
  }
  return retired;
}

void Execution::push(FunctionId function, std::uint32_t site, std::uint32_t returns_to, bool tail) {
  frames_.push_back({function, frames_.back().function, site, returns_to, tail, false, clock()});
}

void Execution::push_root(FunctionId root) {
  frames_.push_back({root, root, 0, 0, false, true, clock()});
}

void Execution::pop() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Called& called = calls_[{frame.caller, frame.site, frame.function}];
  ++called.times;
  called.inclusive += clock() - frame.begin;
}

void Execution::follow_return(std::uint32_t to) {
  std::size_t depth = frames_.size();
  while (depth > 0 && !frames_[depth - 1].root && (frames_[depth - 1].tail || frames_[depth - 1].returns_to != to))
    --depth;
  if (depth == 0 || frames_[depth - 1].root) return;  // to nowhere that it was called from: a jump
  while (frames_.size() >= depth) pop();
}

void Execution::follow_tail(FunctionId function) {
  // A function in two parts jumps to and fro.
  for (std::size_t depth = frames_.size(); depth > 0; --depth) {
    if (frames_[depth - 1].function == function) {
      while (frames_.size() > depth) pop();
      return;
    }
    if (!frames_[depth - 1].tail) break;
  }
  const Frame& top = frames_.back();
  push(function, top.root ? 0 : previous_, top.returns_to, !top.root);
}

void Execution::instruction(Machine&) {
  const std::uint32_t pc = machine_.hart().pc;
  if (settle()) {
    switch (kind_of(previous_)) {
      case Kind::branch:
        if (pc != after(previous_)) ++counts_[index(previous_)].taken;
        break;
      case Kind::call:
        push(function_of(pc), previous_, after(previous_), false);
        break;
      case Kind::leave:
        follow_return(pc);
        break;
      default:
        break;
    }
  }
  const FunctionId function = function_of(pc);
  if (frames_.back().function != function) follow_tail(function);
  previous_ = pc;
  executing_ = true;
}

void Execution::trap(Machine&, unsigned line) {
  settle();
  push_root(unknown() + 2 + line);
}

void Execution::returns(Machine&) {
  settle();
  leave_root();
}

void Execution::leave_root() {
  while (!frames_.back().root) pop();
  if (frames_.size() == 1) return;  // mret outside of a handler
  foreign_ += clock() - frames_.back().begin;
  frames_.pop_back();
}

void Execution::finish() {
  settle();
  while (frames_.size() > 1) leave_root();
  machine_.unwatch(*this);
  // Branches that were never reached are branches, too.
  for (const Symbols::Function& function : symbols_.functions())
    for (std::uint32_t pc = function.begin; pc < function.end && pc - soc::kCodeBase < soc::kCodeMaxBytes;
         pc = after(pc))
      kind_of(pc);
}

Execution::Cost Execution::total() const {
  Cost sum;
  for (const Counts& counts : counts_) sum += counts.self;
  return sum;
}

}  // namespace armature::iss
