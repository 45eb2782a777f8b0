#include "armature/controller/buffer_memory.h"

#include "armature/regs/buf.h"

#include <cstring>

namespace armature::controller {

namespace buf = regs::buf;

BufferMemory::BufferMemory(sc_core::sc_module_name name, const BufferParams& params)
    : sc_module(name), bank_(buf::kTable), bytes_(params.bytes()) {
  bank_[buf::kSize] = bytes();
  bank_[buf::kLayout] = buf::layout::Sectors::set(
      buf::layout::Segments::set(0, static_cast<std::uint32_t>(params.segments)), params.segment_sectors());
  bank_[buf::kLines] = params.lines();
  regs.register_b_transport(&bank_, &RegisterBank::b_transport);
  regs.register_transport_dbg(&bank_, &RegisterBank::transport_dbg);
  ram.register_b_transport(this, &BufferMemory::b_transport);
  ram.register_transport_dbg(this, &BufferMemory::transport_dbg);
}

void BufferMemory::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  if (transaction.get_byte_enable_ptr())
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  else if (transaction.get_streaming_width() < transaction.get_data_length())
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  else if (transport_dbg(transaction) != transaction.get_data_length())
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  else
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned BufferMemory::transport_dbg(tlm::tlm_generic_payload& transaction) {
  const std::uint64_t begin = transaction.get_address();
  const std::size_t length = transaction.get_data_length();
  if (begin > bytes_.size() || length > bytes_.size() - begin) return 0;
  if (transaction.is_read())
    std::memcpy(transaction.get_data_ptr(), bytes_.data() + begin, length);
  else if (transaction.is_write())
    std::memcpy(bytes_.data() + begin, transaction.get_data_ptr(), length);
  return static_cast<unsigned>(length);
}

}  // namespace armature::controller
