#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::iss {

/// Bytes that are zero. Their pages cost nothing until something is written to them.
class ZeroMemory {
 public:
  /// Throws std::bad_alloc.
  explicit ZeroMemory(std::size_t bytes);
  ~ZeroMemory();
  ZeroMemory(const ZeroMemory&) = delete;
  ZeroMemory& operator=(const ZeroMemory&) = delete;

  /// All bytes are zero again.
  void clear();

  std::uint8_t* data() { return bytes_; }
  const std::uint8_t* data() const { return bytes_; }

 private:
  std::uint8_t* bytes_;
  std::size_t size_;
};

}  // namespace armature::iss
