#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace armature::testing {

/// A run that is quick to compute: numbers of a generator, some of which go to a file through a buffer, to a nameless
/// file, and to a shared mapping of a second one, as the writer of waves does it.
class ToyRun {
 public:
  explicit ToyRun(const std::filesystem::path& folder) : memory_(1 << 16) {
    out_ = std::fopen((folder / "numbers.txt").c_str(), "w+b");
    log_ = ::open((folder / "log.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    temporary_ = std::tmpfile();
    mapped_file_ = std::tmpfile();
    if (::ftruncate(fileno(mapped_file_), 4096) != 0) std::abort();
    mapped_ =
        static_cast<std::uint64_t*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(mapped_file_), 0));
  }

  std::uint64_t number() const { return number_; }
  void set_number(std::uint64_t number) { number_ = number; }

  void step() {
    number_ = number_ * 6364136223846793005u + 1442695040888963407u;
    memory_[number_ >> 48] += number_;
    mapped_[number_ >> 55] ^= number_;
    std::fwrite(&number_, sizeof number_, 1, temporary_);
    if (++steps_ % 50 == 0) std::fprintf(out_, "%016llx\n", static_cast<unsigned long long>(number_));
    if (steps_ % 1000 == 0) keep_temporary();
  }

  /// All that there is of state, as one number.
  std::uint64_t sum() const {
    std::uint64_t sum = number_ + steps_;
    for (const std::uint64_t word : memory_) sum = sum * 31 + word;
    for (int i = 0; i < 512; ++i) sum = sum * 31 + mapped_[i];
    return sum * 31 + static_cast<std::uint64_t>(std::ftell(temporary_));
  }

  void close() {
    keep_temporary();
    std::fclose(out_);
    ::close(log_);
  }

 private:
  /// The nameless file's sum goes to the log, and the file begins anew.
  void keep_temporary() {
    std::fflush(temporary_);
    std::rewind(temporary_);
    std::uint64_t sum = 0;
    for (std::uint64_t word = 0; std::fread(&word, sizeof word, 1, temporary_) == 1;) sum = sum * 31 + word;
    std::rewind(temporary_);
    if (::ftruncate(fileno(temporary_), 0) != 0) std::abort();
    const std::string line = std::to_string(sum) + "\n";
    if (::write(log_, line.data(), line.size()) < 0) std::abort();
  }

  std::FILE* out_;
  int log_;
  std::FILE* temporary_;
  std::FILE* mapped_file_;
  std::uint64_t* mapped_;
  std::vector<std::uint64_t> memory_;
  std::uint64_t number_ = 1;
  std::uint64_t steps_ = 0;
};

}  // namespace armature::testing
