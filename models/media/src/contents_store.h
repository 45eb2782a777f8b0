#pragma once

#include "armature/core/block_address.h"
#include "armature/media/contents.h"

#include <memory>
#include <string>

namespace armature::media {

/// Keeper of the contents; sectors are in range.
class Contents::Store {
 public:
  virtual ~Store() = default;
  virtual bool read(PhysicalSector sector, std::uint8_t* to) = 0;
  virtual void write(PhysicalSector sector, const std::uint8_t* from) = 0;
  virtual void spoil(PhysicalSector sector) = 0;
  virtual void reallocated(const Reallocation&) {}
  virtual std::vector<Reallocation> reallocations() const { return {}; }
};

std::unique_ptr<Contents::Store> make_memory_store();
/// Throws InputError.
std::unique_ptr<Contents::Store> make_file_store(const std::string& path, std::uint64_t sectors);
/// Throws InputError if there is a file that `make_file_store` would refuse, or no place for one.
void check_file_store(const std::string& path, std::uint64_t sectors);

}  // namespace armature::media
