#include "armature/drive/ladder_record.h"

#include "armature/regs/chn.h"

namespace armature::drive {

void describe_ladder(const channel::ChannelParams& params, fw_factory& record) {
  namespace step = regs::chn::ladder_step;
  record.ladder_limit_ms = static_cast<std::uint32_t>(params.retry_limit_ms);
  for (const channel::LadderRow& row : params.ladder) {
    std::uint32_t word = step::Repeats::set(0, static_cast<std::uint32_t>(row.repeats));
    word = step::Offset::set(word, static_cast<std::uint32_t>(static_cast<std::int32_t>(row.head_offset)) & 0x1FFu);
    word = step::Detector::set(word, static_cast<std::uint32_t>(row.detector));
    record.ladder[record.ladder_steps++] = step::Erasure::set(word, row.erasure);
  }
}

}  // namespace armature::drive
