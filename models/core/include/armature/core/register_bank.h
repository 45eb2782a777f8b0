#pragma once

#include <tlm>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace armature {

/// One 32-bit register or an array of equal ones, as its SystemRDL description says. Tables of these are generated.
struct RegisterInfo {
  std::string_view name;
  std::uint32_t offset;            ///< bytes from the block's base, a multiple of 4
  std::uint32_t reset;             ///< value after reset
  std::uint32_t readable;          ///< bits that software can read; the others read as zero
  std::uint32_t writable;          ///< bits that software can write
  std::uint32_t write_one_clears;  ///< bits of `writable` that a written one clears
  std::uint32_t pulses;            ///< bits of `writable` that the write callback sees and that are never kept
  std::uint32_t count = 1;         ///< elements of an array
  std::uint32_t stride = 4;        ///< bytes between elements
};

/// A bit field: `Field<lsb, width>`, generated.
template <unsigned Lsb, unsigned Width>
struct Field {
  static constexpr std::uint32_t kMask = (Width == 32 ? ~0u : (1u << (Width % 32)) - 1) << Lsb;
  static constexpr std::uint32_t get(std::uint32_t word) { return (word & kMask) >> Lsb; }
  static constexpr std::uint32_t set(std::uint32_t word, std::uint32_t value) {
    return (word & ~kMask) | ((value << Lsb) & kMask);
  }
};

/// What begins a cache line of its own.
struct alignas(64) OnACacheLine {};

/// The registers of one block: access rules from the generated table, behaviour from callbacks.
///
/// Software's view comes in over TLM (`b_transport`, aligned 32-bit words); an address outside the table, a wrong size
/// or a byte enable is a TLM error response, never an exception. The debug view (`transport_dbg`) reads and writes the
/// kept values and runs no callback. Hardware's view is `operator[]`.
///
/// Bound so: `RegisterSocket regs{"regs"};` in the block, `regs.bind(bank_);` in its constructor.
class RegisterBank : public tlm::tlm_fw_transport_if<>, private OnACacheLine {
 public:
  using OnRead = std::function<std::uint32_t()>;
  using OnWrite = std::function<void(std::uint32_t written)>;
  using OnReadElement = std::function<std::uint32_t(unsigned index)>;
  using OnWriteElement = std::function<void(unsigned index, std::uint32_t written)>;

  template <std::size_t N>
  explicit RegisterBank(const RegisterInfo (&table)[N]) : RegisterBank(table, N) {}
  RegisterBank(const RegisterBank&) = delete;
  RegisterBank& operator=(const RegisterBank&) = delete;

  /// The word that a read answers, instead of the kept value; masked by `readable`.
  void on_read(std::uint32_t offset, OnRead callback);
  /// Runs after the kept value has changed; `written` holds the writable bits of the word on the bus.
  void on_write(std::uint32_t offset, OnWrite callback);
  /// The same for every element of the array at `offset`.
  void on_read_array(std::uint32_t offset, OnReadElement callback);
  void on_write_array(std::uint32_t offset, OnWriteElement callback);

  /// Kept value of the register at `offset`, which must exist.
  std::uint32_t& operator[](std::uint32_t offset) {
    if (offset % 4 != 0 || offset >= end_ || words_[offset / 4].group == kNone) no_such_register(offset);
    return words_[offset / 4].value;
  }
  void reset();

  /// What b_transport does for a word at `offset`, for a processor in the same model, which does so fifty times a
  /// request. False: no register is there, and nothing has happened.
  bool read(std::uint32_t offset, std::uint32_t& word);
  bool write(std::uint32_t offset, std::uint32_t word);

  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override;
  /// Registers are accessed by blocking transport only.
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

 private:
  static constexpr std::uint16_t kNone = 0xFFFF;
  /// What a word has: callbacks, and written bits that are not kept as they are (the table tells which).
  enum : std::uint16_t { kAsks = 1, kAsksElement = 2, kTells = 4, kTellsElement = 8, kSpecial = 16 };

  /// The word at 4 * i: what an access to it needs. Four in a cache line: while one drive rests, others fill the cache.
  struct Word {
    std::uint32_t value = 0;     ///< kept
    std::uint32_t readable = 0;  ///< as in the table
    std::uint32_t writable = 0;
    std::uint16_t group = kNone;  ///< its number in the table; kNone: no register
    std::uint16_t has = 0;
  };

  RegisterBank(const RegisterInfo* table, std::size_t size);
  [[noreturn]] static void no_such_register(std::uint32_t offset);
  /// Sets the bit in all words of the register or array at `offset`. Returns its number in the table.
  std::size_t add_callback(std::uint32_t offset, std::uint16_t bit);
  Word* word_at(std::uint64_t offset) {
    if (offset % 4 != 0 || offset >= end_) return nullptr;
    Word* const word = &words_[offset / 4];
    return word->group != kNone ? word : nullptr;
  }
  std::uint32_t get(const Word& word, std::uint32_t offset) {
    return (word.has & (kAsks | kAsksElement) ? ask(word, offset) : word.value) & word.readable;
  }
  void put(Word& word, std::uint32_t offset, std::uint32_t bits) {
    if (word.has & kSpecial)
      put_special(word, bits);
    else
      word.value ^= (word.value ^ bits) & word.writable;
    if (word.has & (kTells | kTellsElement)) tell(word, offset, bits & word.writable);
  }
  void put_special(Word& word, std::uint32_t bits) const;
  /// Checks a transaction and sets its response; null unless the response is OK.
  Word* find(tlm::tlm_generic_payload& transaction);
  void refuse(tlm::tlm_generic_payload& transaction) const;
  std::uint32_t ask(const Word& word, std::uint32_t offset);
  void tell(const Word& word, std::uint32_t offset, std::uint32_t written);
  static unsigned element(const RegisterInfo& info, std::uint32_t offset) {
    return info.count == 1 ? 0 : (offset - info.offset) / info.stride;
  }

  // What each access needs, in the object's first cache line.
  const RegisterInfo* const table_;
  const std::size_t size_;  ///< of the table
  std::unique_ptr<Word[]> words_;
  std::uint64_t end_ = 0;  ///< of the words, in bytes
  // By number in the table.
  std::unique_ptr<OnRead[]> on_read_;
  std::unique_ptr<OnWrite[]> on_write_;
  std::vector<OnReadElement> on_read_element_;  ///< empty: no array has one
  std::vector<OnWriteElement> on_write_element_;
};

inline bool RegisterBank::read(std::uint32_t offset, std::uint32_t& word) {
  const Word* const at = word_at(offset);
  if (at) word = get(*at, offset);
  return at;
}

inline bool RegisterBank::write(std::uint32_t offset, std::uint32_t word) {
  Word* const at = word_at(offset);
  if (at) put(*at, offset, word);
  return at;
}

inline std::uint32_t RegisterBank::ask(const Word& word, std::uint32_t offset) {
  if (word.has & kAsks) return on_read_[word.group]();
  return on_read_element_[word.group](element(table_[word.group], offset));
}

inline void RegisterBank::tell(const Word& word, std::uint32_t offset, std::uint32_t written) {
  if (word.has & kTells)
    on_write_[word.group](written);
  else
    on_write_element_[word.group](element(table_[word.group], offset), written);
}

/// The socket by which software reaches a block's registers. Not a simple_target_socket: an access passes it thirty to
/// sixty times a request.
using RegisterSocket = tlm::tlm_target_socket<>;

}  // namespace armature
