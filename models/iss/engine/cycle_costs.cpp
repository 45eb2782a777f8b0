#include "cycle_costs.h"

namespace armature::iss {
namespace {

std::int64_t cycles_of(Code code, const CoreCosts& costs) {
  if (code >= Code::lb && code <= Code::lhu) return costs.load;
  if (code >= Code::sb && code <= Code::sw) return costs.store;
  if (code >= Code::beq && code <= Code::bgeu) return costs.branch_not_taken;
  if (code == Code::jal || code == Code::jalr) return costs.jump;
  if (code == Code::mul) return costs.multiply;
  if (code >= Code::mulh && code <= Code::mulhu) return costs.multiply_high;
  if (code >= Code::div && code <= Code::remu) return costs.divide;
  if (code == Code::lr) return costs.load;
  if (code >= Code::sc && code <= Code::amomaxu) return costs.atomic;
  if (code >= Code::csrrw && code <= Code::csrrci) return costs.csr;
  if (code == Code::mret) return costs.mret;
  return costs.plain;
}

}  // namespace

CycleCosts::CycleCosts(const CoreCosts& costs) : costs_(costs) {
  for (std::size_t code = 0; code < by_code_.size(); ++code)
    by_code_[code] = static_cast<std::uint64_t>(cycles_of(static_cast<Code>(code), costs));
}

}  // namespace armature::iss
