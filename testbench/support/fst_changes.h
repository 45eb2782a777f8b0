#pragma once

#include <fstapi.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace armature::testing {

/// All changes of a waveform by the paths of their variables: times in ps, values as text.
class Waves {
 public:
  explicit Waves(const std::string& file) : reader_(fstReaderOpen(file.c_str())) {
    std::vector<std::string> scopes;
    while (const fstHier* node = fstReaderIterateHier(reader_)) {
      if (node->htyp == FST_HT_SCOPE) scopes.emplace_back(node->u.scope.name);
      if (node->htyp == FST_HT_UPSCOPE) scopes.pop_back();
      if (node->htyp != FST_HT_VAR) continue;
      std::string path;
      for (const std::string& scope : scopes) path += scope + ".";
      const std::string name = node->u.var.name;
      names_[node->u.var.handle] = path + name.substr(0, name.find_first_of(" ["));  // a vector's has its range
    }
    fstReaderSetFacProcessMaskAll(reader_);
    fstReaderIterBlocks2(reader_, plain, varlen, this, nullptr);
  }
  Waves(const Waves&) = delete;
  Waves& operator=(const Waves&) = delete;
  ~Waves() { fstReaderClose(reader_); }
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> changes;

 private:
  static void plain(void* self, std::uint64_t time, fstHandle handle, const unsigned char* value) {
    auto* const waves = static_cast<Waves*>(self);
    waves->changes[waves->names_[handle]].emplace_back(time, reinterpret_cast<const char*>(value));
  }
  static void varlen(void* self, std::uint64_t time, fstHandle handle, const unsigned char* value, std::uint32_t size) {
    auto* const waves = static_cast<Waves*>(self);
    waves->changes[waves->names_[handle]].emplace_back(time, std::string(reinterpret_cast<const char*>(value), size));
  }

  void* reader_;
  std::map<fstHandle, std::string> names_;
};

}  // namespace armature::testing
