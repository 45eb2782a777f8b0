#include "program.h"

namespace armature::iss {
namespace {

/// A link register of a jump is none: that it holds an address of code.
bool sets_stack_pointer(const Operation& operation) {
  const Code code = operation.code;
  return operation.rd == kStackPointer &&
         (code == Code::lui || (code >= Code::lb && code <= Code::lhu) || (code >= Code::addi && code <= Code::csrrci));
}

bool moves_stack_pointer(const Operation& operation) {
  return operation.code == Code::addi && operation.rd == kStackPointer && operation.rs1 == kStackPointer;
}

}  // namespace

Program::Program(std::uint32_t base, std::uint32_t bytes, const std::function<Fetched(std::uint32_t pc)>& fetch)
    : base_(base), half_words_(bytes / 2), index_(half_words_ * sizeof(std::uint32_t)) {
  append({}, 0);  // what is nowhere
  for (std::uint32_t pc = base; pc < base + bytes; pc += 2)
    if (at(pc) == operations_.data() && fetch(pc).is_code) lay_out(pc, fetch);
  resolve_jumps();
  operations_.shrink_to_fit();
  addresses_.shrink_to_fit();
}

std::uint32_t Program::append(const Operation& operation, std::uint32_t pc) {
  operations_.push_back(operation);
  addresses_.push_back(pc);
  return static_cast<std::uint32_t>(operations_.size() - 1);
}

/// From `pc` on, to the end of the code or to what has been laid out.
void Program::lay_out(std::uint32_t pc, const std::function<Fetched(std::uint32_t pc)>& fetch) {
  auto* const index = reinterpret_cast<std::uint32_t*>(index_.data());
  bool half = false;  // the last one was the upper half of an address in sp
  for (;;) {
    const Fetched fetched = fetch(pc);
    if (!fetched.is_code) {
      append({}, pc);
      return;
    }
    std::uint32_t& known = index[(pc - base_) / 2];
    if (known != 0) {
      const auto here = static_cast<std::int32_t>(operations_.size());
      append({Code::onward, 0, 0, 0, static_cast<std::int32_t>(known) - here}, pc);
      return;
    }
    const Operation operation = decode(fetched.word, pc);
    known = append(operation, pc);
    pc += operation.bytes;
    const bool second_half = half;
    half = false;
    if (!sets_stack_pointer(operation)) continue;
    const bool moves = !second_half && moves_stack_pointer(operation);
    const Fetched next = fetch(pc);
    half = operation.code == Code::lui && next.is_code && moves_stack_pointer(decode(next.word, pc));
    if (moves && operation.immediate < 0)
      operations_.back().code = Code::addi_sp;
    else if (!moves && !half)
      append({Code::sp_set}, pc);
  }
}

void Program::resolve_jumps() {
  const std::size_t count = operations_.size();  // more may come
  for (std::size_t i = 1; i < count; ++i) {
    if (!jumps_by_immediate(operations_[i].code)) continue;
    const std::uint32_t target = addresses_[i] + static_cast<std::uint32_t>(operations_[i].immediate);
    auto found = static_cast<std::int32_t>(at(target) - operations_.data());
    if (found == 0) found = static_cast<std::int32_t>(append({}, target));
    operations_[i].immediate = found - static_cast<std::int32_t>(i);
  }
}

}  // namespace armature::iss
