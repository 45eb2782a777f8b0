#include "contents_store.h"

#include <array>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace armature::media {
namespace {

constexpr unsigned kChunkBits = 6;
constexpr std::uint32_t kChunkSectors = 1u << kChunkBits;
constexpr unsigned kBlockBits = 11;  // a block of cells takes 1 MiB
constexpr std::uint32_t kNoCell = 0;

/// Sectors are looked up by chunks, so that a run of them costs one look-up a chunk, but take room one by one: random
/// small writes over a whole disk would otherwise fill memory with what was never written.
class MemoryStore final : public Contents::Store {
 public:
  bool read(PhysicalSector sector, std::uint8_t* to) override {
    const Chunk* const chunk = find(sector >> kChunkBits);
    const std::uint32_t place = sector % kChunkSectors;
    if (chunk && (chunk->spoiled >> place & 1) != 0) return false;
    if (chunk && chunk->cells[place] != kNoCell)
      std::memcpy(to, cell(chunk->cells[place]), kSectorBytes);
    else
      std::memset(to, 0, kSectorBytes);
    return true;
  }

  void write(PhysicalSector sector, const std::uint8_t* from) override {
    Chunk& chunk = make(sector >> kChunkBits);
    const std::uint32_t place = sector % kChunkSectors;
    if (chunk.cells[place] == kNoCell) chunk.cells[place] = new_cell();
    std::memcpy(cell(chunk.cells[place]), from, kSectorBytes);
    chunk.spoiled &= ~(std::uint64_t{1} << place);
  }

  void spoil(PhysicalSector sector) override {
    make(sector >> kChunkBits).spoiled |= std::uint64_t{1} << sector % kChunkSectors;
  }

 private:
  struct Chunk {
    std::uint64_t spoiled = 0;                         // a bit a sector
    std::array<std::uint32_t, kChunkSectors> cells{};  // by sector
  };

  // Consecutive sectors of a track nearly always lie in the chunk of the last access. Chunks stay where they are.
  Chunk* find(std::uint64_t number) {
    if (last_ && last_number_ == number) return last_;
    const auto found = chunks_.find(number);
    if (found == chunks_.end()) return nullptr;
    last_number_ = number;
    last_ = &found->second;
    return last_;
  }

  Chunk& make(std::uint64_t number) {
    if (Chunk* const chunk = find(number)) return *chunk;
    last_number_ = number;
    last_ = &chunks_[number];
    return *last_;
  }

  std::uint8_t* cell(std::uint32_t number) {
    return blocks_[number >> kBlockBits].get() + std::size_t{number % (1u << kBlockBits)} * kSectorBytes;
  }

  std::uint32_t new_cell() {
    const std::uint32_t number = next_cell_++;
    if (number >> kBlockBits >= blocks_.size())
      blocks_.emplace_back(new std::uint8_t[std::size_t{kSectorBytes} << kBlockBits]);  // each cell is written at once
    return number;
  }

  std::unordered_map<std::uint64_t, Chunk> chunks_;  // never iterated
  std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
  std::uint32_t next_cell_ = kNoCell + 1;
  std::uint64_t last_number_ = 0;
  Chunk* last_ = nullptr;
};

}  // namespace

std::unique_ptr<Contents::Store> make_memory_store() {
  return std::make_unique<MemoryStore>();
}

}  // namespace armature::media
