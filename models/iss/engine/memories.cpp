#include "memories.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace armature::iss {
namespace {

namespace soc = regs::soc;
constexpr std::size_t kLongestText = 200;

bool is_bus_word(const DataAccess& access) {
  return Memories::is_bus(access.address) && access.bytes == 4 && access.address % 4 == 0;
}

bool in_data(std::uint32_t address, std::size_t bytes) {
  const std::uint32_t offset = address - soc::kDataBase;
  return offset < soc::kDataMaxBytes && bytes <= soc::kDataMaxBytes - offset;
}

}  // namespace

void Memories::start() {
  for (const Image::Piece& piece : image_->data()) write(piece.address, piece.bytes.data(), piece.bytes.size());
}

bool Memories::read(std::uint32_t address, void* to, std::size_t bytes) const {
  if (in_data(address, bytes)) {
    std::memcpy(to, data_.data() + (address - soc::kDataBase), bytes);
    return true;
  }
  if (!image_->has_code(address, bytes)) return false;
  std::memcpy(to, image_->code(address), bytes);
  return true;
}

bool Memories::write(std::uint32_t address, const void* from, std::size_t bytes) {
  if (!in_data(address, bytes)) return false;
  std::memcpy(data_.data() + (address - soc::kDataBase), from, bytes);
  return true;
}

bool Memories::read(const DataAccess& access, std::uint32_t& value) {
  value = 0;
  if (read(access.address, &value, access.bytes)) return true;
  if (!is_bus_word(access)) return false;
  value = bus_.read(access.address);
  return true;
}

bool Memories::write(const DataAccess& access) {
  if (write(access.address, &access.value, access.bytes)) return true;
  if (!is_bus_word(access)) return false;
  bus_.write(access.address, access.value);
  return true;
}

Mistake Memories::refusal(const DataAccess& access, std::uint32_t pc) const {
  const char* const does = access.write ? "writes" : "reads";
  if (is_bus(access.address))
    return {pc, Mistake::Kind::not_aligned,
            fmt::format("{} at {:#010x} what is no aligned word: registers and buffer have no other", does,
                        access.address)};
  return {pc, Mistake::Kind::no_memory,
          fmt::format("{} {} byte{} at {:#010x}, {}", does, access.bytes, access.bytes == 1 ? "" : "s", access.address,
                      image_->has_code(access.address, 1) ? "which is code" : "where there is no memory")};
}

std::string Memories::stopped_in() const {
  const std::optional<std::uint32_t> context = image_->context();
  std::uint32_t pointer = 0;
  if (!context || !read(*context + 4, &pointer, 4) || pointer == 0) return {};
  std::string text;
  for (char c = 0; text.size() < kLongestText && read(pointer, &c, 1) && c != 0; ++pointer) text += c;
  return text;
}

}  // namespace armature::iss
