#pragma once

#include "armature/uml/protocol_error.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

namespace armature::uml {

/// An open file, closed with its owner; -1: none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  int release();

 private:
  int number_ = -1;
};

/// Waits until there is something to read on one of several files, in wall time. What stops it throws.
class Patience {
 public:
  /// @param seconds  of silence, after which it throws ProtocolError; 0: no limit
  /// @param look     called some ten times a second while nothing comes; may throw; may be empty
  explicit Patience(double seconds = 0, std::function<void()> look = {}) : seconds_(seconds), look_(std::move(look)) {}
  /// Index of the first of `files` that can be read or whose other end is gone.
  std::size_t wait(const std::vector<int>& files) const;

 private:
  double seconds_;
  std::function<void()> look_;
};

/// A stream between this process and the guest.
class Socket {
 public:
  /// @param name  for messages: "the calendar"
  Socket(Descriptor file, const char* name) : file_(std::move(file)), name_(name) {}
  int get() const { return file_.get(); }
  /// Reads exactly that many bytes, and the files that came with the first of them. False: the other end was closed
  /// before the first byte. Throws ProtocolError if it was closed in the midst.
  bool read(void* bytes, std::size_t count, const Patience& patience, std::vector<Descriptor>* files = nullptr);
  /// Throws ProtocolError if the other end is gone.
  void write(const void* bytes, std::size_t count);

 private:
  Descriptor file_;
  const char* name_;
};

/// A socket at `path` that waits for one connection at a time; only this user can reach it.
class Listener {
 public:
  explicit Listener(const std::filesystem::path& path);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  int get() const { return file_.get(); }
  Descriptor accept();

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace armature::uml
