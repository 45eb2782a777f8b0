#include "armature/controller/register_names.h"

#include "armature/regs/aau.h"
#include "armature/regs/buf.h"
#include "armature/regs/cha.h"
#include "armature/regs/chn.h"
#include "armature/regs/dbg.h"
#include "armature/regs/hif.h"
#include "armature/regs/irq.h"
#include "armature/regs/nvm.h"
#include "armature/regs/pmu.h"
#include "armature/regs/soc.h"
#include "armature/regs/spn.h"
#include "armature/regs/srv.h"
#include "armature/regs/tmr.h"
#include "armature/regs/xlt.h"

#include <fmt/format.h>

#include <iterator>

namespace armature::controller {
namespace {

namespace soc = regs::soc;

struct Block {
  const char* name;
  std::uint32_t base, stride, count;
  const RegisterInfo* begin;
  const RegisterInfo* end;
};

constexpr Block kBlocks[] = {
    {"hif", soc::kHifBase, soc::kHifBytes, 1, std::begin(regs::hif::kTable), std::end(regs::hif::kTable)},
    {"aau", soc::kAauBase, soc::kAauBytes, 1, std::begin(regs::aau::kTable), std::end(regs::aau::kTable)},
    {"srv", soc::kSrvBase, soc::kSrvStride, soc::kSrvCount, std::begin(regs::srv::kTable), std::end(regs::srv::kTable)},
    {"spn", soc::kSpnBase, soc::kSpnStride, soc::kSpnCount, std::begin(regs::spn::kTable), std::end(regs::spn::kTable)},
    {"chn", soc::kChnBase, soc::kChnStride, soc::kChnCount, std::begin(regs::chn::kTable), std::end(regs::chn::kTable)},
    {"buf", soc::kBufBase, soc::kBufBytes, 1, std::begin(regs::buf::kTable), std::end(regs::buf::kTable)},
    {"tmr", soc::kTmrBase, soc::kTmrBytes, 1, std::begin(regs::tmr::kTable), std::end(regs::tmr::kTable)},
    {"irq", soc::kIrqBase, soc::kIrqBytes, 1, std::begin(regs::irq::kTable), std::end(regs::irq::kTable)},
    {"dbg", soc::kDbgBase, soc::kDbgBytes, 1, std::begin(regs::dbg::kTable), std::end(regs::dbg::kTable)},
    {"nvm", soc::kNvmBase, soc::kNvmBytes, 1, std::begin(regs::nvm::kTable), std::end(regs::nvm::kTable)},
    {"cha", soc::kChaBase, soc::kChaBytes, 1, std::begin(regs::cha::kTable), std::end(regs::cha::kTable)},
    {"pmu", soc::kPmuBase, soc::kPmuBytes, 1, std::begin(regs::pmu::kTable), std::end(regs::pmu::kTable)},
    {"xlt", soc::kXltBase, soc::kXltBytes, 1, std::begin(regs::xlt::kTable), std::end(regs::xlt::kTable)},
};

std::string name_of(const Block& block, std::uint32_t instance) {
  return block.count > 1 ? fmt::format("{}{}", block.name, instance) : std::string(block.name);
}

std::string name_of(const RegisterInfo& info, std::uint32_t element) {
  return info.count > 1 ? fmt::format("{}[{}]", info.name, element) : std::string(info.name);
}

}  // namespace

std::string register_name(std::uint32_t address) {
  if (address - soc::kRamBase < soc::kRamMaxBytes) return fmt::format("ram+{:#x}", address - soc::kRamBase);
  for (const Block& block : kBlocks) {
    if (address < block.base || (address - block.base) / block.stride >= block.count) continue;
    const std::uint32_t instance = (address - block.base) / block.stride,
                        offset = (address - block.base) % block.stride;
    const std::string name = name_of(block, instance);
    for (const RegisterInfo* info = block.begin; info != block.end; ++info) {
      const std::uint32_t behind = offset - info->offset;
      if (offset < info->offset || behind % info->stride != 0 || behind / info->stride >= info->count) continue;
      return name + "." + name_of(*info, behind / info->stride);
    }
    return fmt::format("{}+{:#x}", name, offset);
  }
  return fmt::format("{:#010x}", address);
}

std::vector<NamedRegister> registers_of(std::string_view block) {
  std::vector<NamedRegister> registers;
  for (const Block& one : kBlocks)
    for (std::uint32_t instance = 0; instance < one.count; ++instance) {
      if (name_of(one, instance) != block) continue;
      for (const RegisterInfo* info = one.begin; info != one.end; ++info)
        for (std::uint32_t element = 0; element < info->count; ++element)
          registers.push_back({name_of(*info, element),
                               one.base + instance * one.stride + info->offset + element * info->stride, info->reset});
    }
  return registers;
}

std::vector<std::string> block_names() {
  std::vector<std::string> names;
  for (const Block& block : kBlocks)
    for (std::uint32_t instance = 0; instance < block.count; ++instance) names.push_back(name_of(block, instance));
  return names;
}

}  // namespace armature::controller
