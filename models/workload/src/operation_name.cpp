#include "operation_name.h"

#include <algorithm>
#include <string>
#include <vector>

namespace armature::workload {
namespace {

constexpr std::string_view kModifiers = "FASMBPU";

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_letter(char c) {
  return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/// The words that a name is made of, in small letters and without numbers: "DiskRead", "disk_read" and "DISK READ(10)"
/// are disk, read.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_letter(c)) {
      inside = false;
      continue;
    }
    const bool begins = is_capital(c) && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (!inside || begins) words.emplace_back();
    inside = true;
    words.back() += static_cast<char>(c | 0x20);
  }
  return words;
}

/// What stands beside the word that counts, and changes nothing.
constexpr std::string_view kAround[] = {
    "disk",   "io",      "irp",  "mj",    "req",   "op",   "scsi",  "nvme",    "nvm",       "ata",     "cmd", "command",
    "block",  "blk",     "bio",  "data",  "raw",   "user", "dma",   "ext",     "fpdma",     "pio",     "ncq", "queued",
    "sector", "sectors", "sync", "async", "ahead", "fua",  "cache", "request", "operation", "multiple"};

bool is_around(const std::string& word) {
  return std::find(std::begin(kAround), std::end(kAround), word) != std::end(kAround);
}

std::optional<Operation> meaning(const std::string& word) {
  for (const std::string_view read : {"r", "rd", "read", "reads"})
    if (word == read) return Operation::read;
  for (const std::string_view write : {"w", "wr", "write", "writes"})
    if (word == write) return Operation::write;
  for (const std::string_view flush :
       {"f", "flush", "flushbuffers", "buffers", "fsync", "fdatasync", "datasync", "synchronize", "synchronise"})
    if (word == flush) return Operation::flush;
  return std::nullopt;
}

}  // namespace

std::optional<AskedFor> parse_rwbs(std::string_view letters) {
  if (letters.size() == 1 && (letters[0] == 'R' || letters[0] == 'W'))
    return AskedFor{letters[0] == 'R' ? Operation::read : Operation::write};
  if (letters.empty() || !std::all_of(letters.begin(), letters.end(), is_capital)) return std::nullopt;
  AskedFor asked;
  const auto take = [&](char letter) {
    const bool there = !letters.empty() && letters[0] == letter;
    if (there) letters.remove_prefix(1);
    return there;
  };
  const bool flush = take('F');
  if (take('R'))
    asked.operation = Operation::read;
  else if (take('W'))
    asked.operation = Operation::write;
  else if (flush) {
    asked.operation = Operation::flush;
    if (!take('F')) take('N');
  } else {
    return asked;  // D, N, Z and what is to come
  }
  asked.flush_before = flush && asked.operation != Operation::flush;
  asked.fua = asked.operation != Operation::flush && !letters.empty() && letters[0] == 'F';
  if (letters.find_first_not_of(kModifiers) != std::string_view::npos) return AskedFor{};
  return asked;
}

AskedFor parse_operation(std::string_view word) {
  if (const std::optional<AskedFor> asked = parse_rwbs(word); asked && asked->operation) return *asked;
  AskedFor asked;
  bool sync_alone = false;
  for (const std::string& part : words_of(word)) {
    if (const std::optional<Operation> operation = meaning(part)) {
      if (asked.operation && *asked.operation != *operation) return {};
      asked.operation = operation;
    } else if (!is_around(part)) {
      return {};
    }
    sync_alone = part == "sync";
    asked.fua = asked.fua || part == "fua";
  }
  if (!asked.operation && sync_alone) asked.operation = Operation::flush;
  if (asked.operation == Operation::flush) asked.fua = false;
  return asked;
}

}  // namespace armature::workload
