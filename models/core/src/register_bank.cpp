#include "armature/core/register_bank.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace armature {

RegisterBank::RegisterBank(const RegisterInfo* table, std::size_t size) {
  groups_.reserve(size);
  for (const RegisterInfo* info = table; info != table + size; ++info) {
    const std::size_t last = (info->offset + (info->count - 1) * info->stride) / 4;
    if (last >= words_.size()) words_.resize(last + 1);
    groups_.push_back({*info, {}, {}, {}, {}});
    Group* const group = &groups_.back();
    each_word(*group, [&](Word& word) {
      word.readable = info->readable;
      word.writable = info->writable;
      word.clears = info->write_one_clears;
      word.kept = info->writable & ~info->write_one_clears & ~info->pulses;
      word.group = group;
    });
  }
  end_ = words_.size() * 4;
  reset();
}

template <class Change>
void RegisterBank::each_word(const Group& group, const Change& change) {
  for (std::uint32_t i = 0; i < group.info.count; ++i) change(words_[(group.info.offset + i * group.info.stride) / 4]);
}

void RegisterBank::reset() {
  for (const Group& group : groups_) each_word(group, [&](Word& word) { word.value = group.info.reset; });
}

void RegisterBank::no_such_register(std::uint32_t offset) {
  SC_REPORT_FATAL("register_bank",
                  ("the model names a register that its description lacks: offset " + std::to_string(offset)).c_str());
  std::abort();  // a report handler that lets a fatal report return
}

RegisterBank::Group& RegisterBank::group(std::uint32_t offset) {
  (*this)[offset];
  return *words_[offset / 4].group;
}

void RegisterBank::on_read(std::uint32_t offset, OnRead callback) {
  group(offset).on_read = std::move(callback);
  each_word(group(offset), [](Word& word) { word.asks = true; });
}

void RegisterBank::on_write(std::uint32_t offset, OnWrite callback) {
  group(offset).on_write = std::move(callback);
  each_word(group(offset), [](Word& word) { word.tells = true; });
}

void RegisterBank::on_read_array(std::uint32_t offset, OnReadElement callback) {
  group(offset).on_read_element = std::move(callback);
  each_word(group(offset), [](Word& word) { word.asks = true; });
}

void RegisterBank::on_write_array(std::uint32_t offset, OnWriteElement callback) {
  group(offset).on_write_element = std::move(callback);
  each_word(group(offset), [](Word& word) { word.tells = true; });
}

[[gnu::always_inline]] inline RegisterBank::Word* RegisterBank::find(tlm::tlm_generic_payload& transaction) {
  const sc_dt::uint64 offset = transaction.get_address();
  if (transaction.get_data_length() == 4 && !transaction.get_byte_enable_ptr() && offset % 4 == 0 && offset < end_) {
    Word* const word = &words_[offset / 4];
    if (word->group) {
      transaction.set_response_status(tlm::TLM_OK_RESPONSE);
      return word;
    }
  }
  refuse(transaction);
  return nullptr;
}

void RegisterBank::refuse(tlm::tlm_generic_payload& transaction) const {
  const sc_dt::uint64 offset = transaction.get_address();
  tlm::tlm_response_status status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (transaction.get_data_length() != 4 || offset % 4 != 0) status = tlm::TLM_BURST_ERROR_RESPONSE;
  if (offset >= end_ || !words_[offset / 4].group) status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  transaction.set_response_status(status);
}

inline std::uint32_t RegisterBank::ask(const Word& word, std::uint32_t offset) {
  const Group& group = *word.group;
  return group.on_read ? group.on_read() : group.on_read_element(element(group.info, offset));
}

inline void RegisterBank::tell(const Word& word, std::uint32_t offset, std::uint32_t written) {
  const Group& group = *word.group;
  if (group.on_write)
    group.on_write(written);
  else
    group.on_write_element(element(group.info, offset), written);
}

void RegisterBank::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  Word* const word = find(transaction);
  if (!word) return;
  std::uint32_t bits;
  if (transaction.is_read()) {
    bits = word->asks ? ask(*word, static_cast<std::uint32_t>(transaction.get_address())) : word->value;
    bits &= word->readable;
    std::memcpy(transaction.get_data_ptr(), &bits, 4);
  } else if (transaction.is_write()) {
    std::memcpy(&bits, transaction.get_data_ptr(), 4);
    word->value = ((word->value & ~word->kept) | (bits & word->kept)) & ~(bits & word->clears);
    if (word->tells) tell(*word, static_cast<std::uint32_t>(transaction.get_address()), bits & word->writable);
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
