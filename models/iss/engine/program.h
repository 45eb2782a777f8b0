#pragma once

#include "operation.h"
#include "zero_memory.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace armature::iss {

/// The code memory, decoded once. The operation behind an instruction's is that of the next instruction, so their
/// distance counts the instructions between them. A program may jump to any half word: where that is the middle of an
/// instruction, its operations lie apart and end in Code::onward, which leads to where the two are one again. Behind
/// what writes to sp, other than a jump or addi, there is Code::sp_set.
class Program {
 public:
  /// What lies at `pc`: the instruction in the low bits, and whether it lies in the code memory.
  struct Fetched {
    bool is_code;
    std::uint32_t word;
  };
  /// @param base, bytes  of the code memory
  Program(std::uint32_t base, std::uint32_t bytes, const std::function<Fetched(std::uint32_t pc)>& fetch);

  /// What is at `pc`; Code::no_code outside of the memory.
  const Operation* at(std::uint32_t pc) const {
    const std::uint32_t half_word = (pc - base_) / 2;
    return operations_.data() + (half_word < half_words_ ? index()[half_word] : 0);
  }
  /// Not of an operation that `at` found outside of the memory.
  std::uint32_t pc_of(const Operation* operation) const {
    return addresses_[static_cast<std::size_t>(operation - operations_.data())];
  }

 private:
  const std::uint32_t* index() const { return reinterpret_cast<const std::uint32_t*>(index_.data()); }
  std::uint32_t append(const Operation& operation, std::uint32_t pc);
  void lay_out(std::uint32_t pc, const std::function<Fetched(std::uint32_t pc)>& fetch);
  void resolve_jumps();

  const std::uint32_t base_;
  const std::uint32_t half_words_;
  ZeroMemory index_;  ///< by half word: which operation it is, 0 without code
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> addresses_;  ///< of operations_
};

}  // namespace armature::iss
