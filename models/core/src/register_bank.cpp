#include "armature/core/register_bank.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace armature {

RegisterBank::RegisterBank(const RegisterInfo* table, std::size_t size) {
  groups_.reserve(size);
  for (const RegisterInfo* info = table; info != table + size; ++info) {
    const std::size_t last = (info->offset + (info->count - 1) * info->stride) / 4;
    if (last >= index_.size()) index_.resize(last + 1, kHole);
    for (std::uint32_t i = 0; i < info->count; ++i)
      index_[(info->offset + i * info->stride) / 4] = static_cast<std::uint16_t>(groups_.size());
    groups_.push_back({*info, {}, {}, {}, {}});
  }
  values_.resize(index_.size());
  reset();
}

void RegisterBank::reset() {
  for (std::size_t i = 0; i < index_.size(); ++i) values_[i] = index_[i] == kHole ? 0 : groups_[index_[i]].info.reset;
}

void RegisterBank::no_such_register(std::uint32_t offset) {
  SC_REPORT_FATAL("register_bank",
                  ("the model names a register that its description lacks: offset " + std::to_string(offset)).c_str());
  std::abort();  // a report handler that lets a fatal report return
}

RegisterBank::Group& RegisterBank::group(std::uint32_t offset) {
  (*this)[offset];
  return groups_[index_[offset / 4]];
}

void RegisterBank::on_read(std::uint32_t offset, OnRead callback) {
  group(offset).on_read = std::move(callback);
}

void RegisterBank::on_write(std::uint32_t offset, OnWrite callback) {
  group(offset).on_write = std::move(callback);
}

void RegisterBank::on_read_array(std::uint32_t offset, OnReadElement callback) {
  group(offset).on_read_element = std::move(callback);
}

void RegisterBank::on_write_array(std::uint32_t offset, OnWriteElement callback) {
  group(offset).on_write_element = std::move(callback);
}

[[gnu::always_inline]] inline RegisterBank::Group* RegisterBank::find(tlm::tlm_generic_payload& transaction) {
  const sc_dt::uint64 offset = transaction.get_address();
  const sc_dt::uint64 word = offset / 4;
  if (transaction.get_data_length() == 4 && !transaction.get_byte_enable_ptr() && offset % 4 == 0 &&
      word < index_.size() && index_[word] != kHole) {
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return &groups_[index_[word]];
  }
  refuse(transaction);
  return nullptr;
}

void RegisterBank::refuse(tlm::tlm_generic_payload& transaction) const {
  const sc_dt::uint64 offset = transaction.get_address();
  tlm::tlm_response_status status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (transaction.get_data_length() != 4 || offset % 4 != 0) status = tlm::TLM_BURST_ERROR_RESPONSE;
  if (offset / 4 >= index_.size() || index_[offset / 4] == kHole) status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  transaction.set_response_status(status);
}

void RegisterBank::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  Group* const found = find(transaction);
  if (!found) return;
  const RegisterInfo& info = found->info;
  const auto offset = static_cast<std::uint32_t>(transaction.get_address());
  std::uint32_t& value = values_[offset / 4];
  std::uint32_t word;
  if (transaction.is_read()) {
    word = value;
    if (found->on_read)
      word = found->on_read();
    else if (found->on_read_element)
      word = found->on_read_element(element(info, offset));
    word &= info.readable;
    std::memcpy(transaction.get_data_ptr(), &word, 4);
  } else if (transaction.is_write()) {
    std::memcpy(&word, transaction.get_data_ptr(), 4);
    const std::uint32_t cleared = word & info.write_one_clears;
    const std::uint32_t kept = info.writable & ~info.write_one_clears & ~info.pulses;
    value = ((value & ~kept) | (word & kept)) & ~cleared;
    if (found->on_write)
      found->on_write(word & info.writable);
    else if (found->on_write_element)
      found->on_write_element(element(info, offset), word & info.writable);
  }
}

unsigned RegisterBank::transport_dbg(tlm::tlm_generic_payload& transaction) {
  if (!find(transaction)) return 0;
  std::uint32_t& value = values_[static_cast<std::uint32_t>(transaction.get_address()) / 4];
  if (transaction.is_read())
    std::memcpy(transaction.get_data_ptr(), &value, 4);
  else if (transaction.is_write())
    std::memcpy(&value, transaction.get_data_ptr(), 4);
  return 4;
}

}  // namespace armature
