#include "armature/observe/unfinished_dump.h"

#include "armature/core/error.h"
#include "armature/observe/run_folder.h"
#include "armature/observe/save_file.h"
#include "request_view.h"

#include <fmt/format.h>
#include <fstapi.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <system_error>

namespace armature::observe {
namespace {

namespace fs = std::filesystem;

// Places in an FST file, as fstapi.c writes them: blocks of a tag and a length that counts its own eight bytes. Numbers
// have the most significant byte first.
constexpr std::streamoff kStartTime = 9;      // of the header block: first time, last time
constexpr std::streamoff kSectionCount = 65;  // the same: number of parts with values
constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLeastPart = 24;  // length and times of a part with values
constexpr unsigned kStringLength = 0xFFFF'FFFFu;
constexpr int kGzip = 15 + 16;  // window bits of zlib: 32 KiB, with the header of gzip

fs::path names_of(const fs::path& dump) {
  fs::path names = dump;
  names += ".hier";
  return names;
}

std::uint64_t read_number(std::istream& in) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < kLengthBytes; ++i) value = value << 8 | static_cast<std::uint64_t>(in.get() & 0xFF);
  return value;
}

void append_number(std::string& out, std::uint64_t value) {
  for (unsigned i = kLengthBytes; i-- > 0;) out += static_cast<char>(value >> 8 * i & 0xFF);
}

void append_varint(std::string& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string block(fstBlockType tag, const std::string& content) {
  std::string out(1, static_cast<char>(tag));
  append_number(out, kLengthBytes + content.size());
  return out + content;
}

struct Parts {
  std::uint64_t end = 0;    ///< offset behind the last complete one
  std::uint64_t count = 0;  ///< with values
  std::uint64_t first_time = 0, last_time = 0;
};

/// The header and the complete parts with values that follow it.
Parts find_parts(const fs::path& dump) {
  Parts parts;
  const std::uint64_t size = fs::file_size(dump);
  std::ifstream in(dump, std::ios::binary);
  for (;;) {
    in.seekg(static_cast<std::streamoff>(parts.end));
    const int tag = in.get();
    const std::uint64_t length = read_number(in);
    const bool header = parts.end == 0 && tag == FST_BL_HDR;
    const bool values = parts.end > 0 && length >= kLeastPart &&
                        (tag == FST_BL_VCDATA || tag == FST_BL_VCDATA_DYN_ALIAS || tag == FST_BL_VCDATA_DYN_ALIAS2);
    if (!in || !(header || values) || length > size || parts.end + 1 + length > size) return parts;
    if (values) {
      const std::uint64_t begin = read_number(in);
      if (parts.count++ == 0) parts.first_time = begin;
      parts.last_time = read_number(in);
    }
    parts.end += 1 + length;
  }
}

/// The length of each signal in bits, by its handle; 0 for a real.
std::string geometry(const fs::path& dump) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(dump.c_str()), fstReaderClose);
  if (!reader) throw InputError(dump.string() + ": is no FST dump");
  std::map<fstHandle, std::uint32_t> lengths;
  while (const fstHier* const item = fstReaderIterateHier(reader.get())) {
    if (item->htyp != FST_HT_VAR) continue;
    const bool real = item->u.var.typ == FST_VT_VCD_REAL, string = item->u.var.typ == FST_VT_GEN_STRING;
    lengths.emplace(item->u.var.handle, real ? 0u : string ? kStringLength : item->u.var.length);
  }
  std::string signals;
  for (const auto& [handle, length] : lengths) append_varint(signals, length);
  std::string content;
  append_number(content, signals.size());
  append_number(content, lengths.size());
  return content + signals;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

bool is_unfinished_dump(const fs::path& dump) {
  std::error_code none;
  return fs::is_regular_file(dump, none) && fs::is_regular_file(names_of(dump), none);
}

Ps close_dump(const fs::path& dump) {
  FolderLock lock;
  lock.hold(fs::absolute(dump).parent_path());
  const Parts parts = find_parts(dump);
  if (parts.count == 0)
    throw InputError(
        fmt::format("{}: holds nothing: its run was killed before the first part of it was written", dump.string()));
  std::ifstream hierarchy(names_of(dump), std::ios::binary);
  const std::string names{std::istreambuf_iterator<char>(hierarchy), {}};
  std::error_code error;
  fs::resize_file(dump, parts.end, error);
  if (error) throw InputError(fmt::format("{}: {}", dump.string(), error.message()));
  std::string header;
  append_number(header, parts.first_time);
  append_number(header, parts.last_time);
  std::string count, packed;
  append_number(count, parts.count);
  append_number(packed, names.size());
  packed += gzipped(names);
  const std::string end = block(FST_BL_GEOM, geometry(dump)) + block(FST_BL_HIER, packed);
  std::fstream out(dump, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(parts.end));
  out << end;
  out.seekp(kSectionCount);
  out << count;
  out.seekp(kStartTime);
  out << header;
  out.close();
  if (!out) throw InputError(dump.string() + ": cannot be written");
  fs::remove(names_of(dump), error);
  if (const std::optional<WaveView> view = view_of_dump(dump))
    write_save_files(fs::path(dump).replace_extension(), *view);
  return static_cast<Ps>(parts.last_time);
}

}  // namespace armature::observe
