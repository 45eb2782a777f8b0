#include "wave_reader.h"

#include "armature/core/error.h"
#include "armature/observe/fst_trace.h"

#include <fmt/format.h>

#include <cstring>

namespace armature::observe {
namespace {

constexpr int kPsExponent = -12;

using Changed = std::function<void(std::uint64_t, fstHandle, std::string_view)>;

}  // namespace

WaveReader::WaveReader(const std::filesystem::path& dump) : file_(dump.string()) {
  if (!std::filesystem::is_regular_file(dump))
    throw InputError(file_ + ": there is no such file; armature run SCENARIO --waves writes it");
  reader_.reset(fstReaderOpen(dump.c_str()));
  if (!reader_) throw InputError(file_ + ": is no FST dump");
  fstReaderClrFacProcessMaskAll(reader_.get());
  fstReaderIterBlocksSetNativeDoublesOnCallback(reader_.get(), 1);
}

void WaveReader::each_signal(const std::vector<std::string>& globs,
                             const std::function<void(fstHandle, std::string, Kind)>& found) const {
  void* const reader = reader_.get();
  const TraceScope scope{globs, {}};
  fstReaderIterateHierRewind(reader);
  fstReaderResetScope(reader);
  while (const fstHier* const item = fstReaderIterateHier(reader)) {
    if (item->htyp == FST_HT_SCOPE) {
      fstReaderPushScope(reader, item->u.scope.name, nullptr);
    } else if (item->htyp == FST_HT_UPSCOPE) {
      fstReaderPopScope(reader);
    } else if (item->htyp == FST_HT_VAR) {
      const char* const above = fstReaderGetCurrentFlatScope(reader);
      std::string name = above && *above != '\0' ? std::string(above) + "." : std::string();
      for (const char* c = item->u.var.name; *c != '\0'; ++c) {
        if (*c != ' ') name += *c;  // "count [7:0]" and "count[7:0]" are one name
      }
      if (!scope.contains(name.substr(0, name.find('[')))) continue;
      const auto type = item->u.var.typ;
      const bool real = type == FST_VT_VCD_REAL || type == FST_VT_VCD_REALTIME;
      found(item->u.var.handle, std::move(name),
            type == FST_VT_GEN_STRING ? Kind::kText
            : real                    ? Kind::kReal
                                      : Kind::kBits);
    }
  }
}

void WaveReader::want(fstHandle handle) {
  fstReaderSetFacProcessMask(reader_.get(), handle);
}

void WaveReader::none_matches() const {
  throw InputError(file_ + ": no signal in it matches; docs/guide/waves.md says what they are called");
}

void WaveReader::changes(const Changed& changed) const {
  fstReaderIterBlocks2(
      reader_.get(),
      [](void* to, std::uint64_t at, fstHandle handle, const unsigned char* value) {
        (*static_cast<const Changed*>(to))(at, handle, reinterpret_cast<const char*>(value));
      },
      [](void* to, std::uint64_t at, fstHandle handle, const unsigned char* value, std::uint32_t length) {
        (*static_cast<const Changed*>(to))(at, handle, {reinterpret_cast<const char*>(value), length});
      },
      const_cast<Changed*>(&changed), nullptr);
}

std::int64_t WaveReader::scale() const {
  const signed char exponent = fstReaderGetTimescale(reader_.get());
  if (exponent < kPsExponent || exponent > 0)
    throw InputError(fmt::format("{}: its unit of time is 1e{} s; 1 ps to 1 s can be read", file_, int{exponent}));
  std::int64_t scale = 1;
  for (int i = kPsExponent; i < exponent; ++i) scale *= 10;
  return scale;
}

double real_of(std::string_view value) {
  double number = 0;
  std::memcpy(&number, value.data(), sizeof number);
  return number + 0.0;
}

}  // namespace armature::observe
