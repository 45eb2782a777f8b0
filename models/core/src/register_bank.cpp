#include "armature/core/register_bank.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace armature {

RegisterBank::RegisterBank(const RegisterInfo* table, std::size_t size) : table_(table), size_(size) {
  for (const RegisterInfo* info = table; info != table + size; ++info)
    end_ = std::max<std::uint64_t>(end_, info->offset + (info->count - 1) * info->stride + 4);
  words_ = std::make_unique<Word[]>(end_ / 4);
  on_read_ = std::make_unique<OnRead[]>(size);
  on_write_ = std::make_unique<OnWrite[]>(size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::uint32_t j = 0; j < table[i].count; ++j) {
      Word& word = words_[(table[i].offset + j * table[i].stride) / 4];
      word.readable = table[i].readable;
      word.writable = table[i].writable;
      word.group = static_cast<std::uint16_t>(i);
      word.has = table[i].write_one_clears | table[i].pulses ? kSpecial : 0;
    }
  reset();
}

void RegisterBank::reset() {
  for (std::size_t i = 0; i < size_; ++i)
    for (std::uint32_t j = 0; j < table_[i].count; ++j)
      words_[(table_[i].offset + j * table_[i].stride) / 4].value = table_[i].reset;
}

void RegisterBank::no_such_register(std::uint32_t offset) {
  SC_REPORT_FATAL("register_bank",
                  ("the model names a register that its description lacks: offset " + std::to_string(offset)).c_str());
  std::abort();  // a report handler that lets a fatal report return
}

std::size_t RegisterBank::add_callback(std::uint32_t offset, std::uint16_t bit) {
  (*this)[offset];  // it must exist
  const std::size_t group = words_[offset / 4].group;
  const RegisterInfo& info = table_[group];
  for (std::uint32_t i = 0; i < info.count; ++i) words_[(info.offset + i * info.stride) / 4].has |= bit;
  return group;
}

void RegisterBank::on_read(std::uint32_t offset, OnRead callback) {
  on_read_[add_callback(offset, kAsks)] = std::move(callback);
}

void RegisterBank::on_write(std::uint32_t offset, OnWrite callback) {
  on_write_[add_callback(offset, kTells)] = std::move(callback);
}

void RegisterBank::on_read_array(std::uint32_t offset, OnReadElement callback) {
  on_read_element_.resize(size_);
  on_read_element_[add_callback(offset, kAsksElement)] = std::move(callback);
}

void RegisterBank::on_write_array(std::uint32_t offset, OnWriteElement callback) {
  on_write_element_.resize(size_);
  on_write_element_[add_callback(offset, kTellsElement)] = std::move(callback);
}

[[gnu::always_inline]] inline RegisterBank::Word* RegisterBank::find(tlm::tlm_generic_payload& transaction) {
  const bool fits = transaction.get_data_length() == 4 && !transaction.get_byte_enable_ptr();
  Word* const word = fits ? word_at(transaction.get_address()) : nullptr;
  if (word)
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  else
    refuse(transaction);
  return word;
}

void RegisterBank::refuse(tlm::tlm_generic_payload& transaction) const {
  const sc_dt::uint64 offset = transaction.get_address();
  tlm::tlm_response_status status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (transaction.get_data_length() != 4 || offset % 4 != 0) status = tlm::TLM_BURST_ERROR_RESPONSE;
  if (offset >= end_ || words_[offset / 4].group == kNone) status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  transaction.set_response_status(status);
}

void RegisterBank::put_special(Word& word, std::uint32_t bits) const {
  const RegisterInfo& info = table_[word.group];
  const std::uint32_t kept = word.writable & ~info.write_one_clears & ~info.pulses;
  word.value = ((word.value & ~kept) | (bits & kept)) & ~(bits & info.write_one_clears);
}

void RegisterBank::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  Word* const word = find(transaction);
  if (!word) return;
  const auto offset = static_cast<std::uint32_t>(transaction.get_address());
  std::uint32_t bits;
  if (transaction.is_read()) {
    bits = get(*word, offset);
    std::memcpy(transaction.get_data_ptr(), &bits, 4);
  } else if (transaction.is_write()) {
    std::memcpy(&bits, transaction.get_data_ptr(), 4);
    put(*word, offset, bits);
  }
}

tlm::tlm_sync_enum RegisterBank::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase&,
                                                 sc_core::sc_time&) {
  transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  return tlm::TLM_COMPLETED;
}

unsigned RegisterBank::transport_dbg(tlm::tlm_generic_payload& transaction) {
  Word* const word = find(transaction);
  if (!word) return 0;
  if (transaction.is_read())
    std::memcpy(transaction.get_data_ptr(), &word->value, 4);
  else if (transaction.is_write())
    std::memcpy(&word->value, transaction.get_data_ptr(), 4);
  return 4;
}

}  // namespace armature
