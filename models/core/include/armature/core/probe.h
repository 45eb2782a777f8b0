#pragma once

#include "armature/core/rotation.h"
#include "armature/core/time.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// What can be traced: one named value that changes in simulated time. Models declare and change probes; `observe`
/// writes them. A probe without a sink costs one test of a pointer.
struct ProbeInfo {
  enum class Kind { bit, vector, real, text };
  std::string path;  ///< hierarchical, dot-separated: "atlas10k.disk.arm0.position"
  Kind kind = Kind::bit;
  unsigned width = 1;   ///< bits of a vector, 1 to 64
  std::string unit;     ///< of a real: "cylinder", "rev"; of a vector "hex" if people read it so; otherwise empty
  std::string meaning;  ///< one line for people
  bool held = false;    ///< of a real: it keeps each value until the next one, so its curve has steps
};

class ProbeSink {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNotTraced = ~Id{0};

  /// Before the simulation starts. kNotTraced if the scope of the trace leaves the probe out.
  virtual Id declare(const ProbeInfo& info) = 0;
  /// The value at the kernel's present time.
  virtual void change(Id id, std::uint64_t value) = 0;
  virtual void change(Id id, double value) = 0;
  virtual void change(Id id, std::string_view text) = 0;
  /// A value at a time that is not before the present: a trajectory known in advance. Kept until time gets there.
  virtual void schedule(Id id, Ps at, double value) = 0;
  virtual void schedule_bits([[maybe_unused]] Id id, [[maybe_unused]] Ps at, [[maybe_unused]] std::uint64_t value) {}
  virtual void schedule_text([[maybe_unused]] Id id, [[maybe_unused]] Ps at, [[maybe_unused]] std::string_view text) {}
  /// From the present on the value follows a rotation, until the next call: a real its angle, 0 to 1 revolution, a bit
  /// the index pulse (1/64 revolution wide). Null: nothing turns, and a real is not a number, a bit 0. The sink keeps a
  /// copy.
  virtual void rotate([[maybe_unused]] Id id, [[maybe_unused]] const Rotation* rotation) {}
  /// Forgets what was scheduled for `id` and has not come yet.
  virtual void cancel(Id id) = 0;

 protected:
  ~ProbeSink() = default;
};

/// Base of the typed probes below.
class Probe {
 public:
  bool traced() const { return sink_ != nullptr; }

 protected:
  void declare(ProbeSink* sink, const ProbeInfo& info) {
    if (!sink) return;
    id_ = sink->declare(info);
    sink_ = id_ == ProbeSink::kNotTraced ? nullptr : sink;
  }
  ProbeSink* sink_ = nullptr;
  ProbeSink::Id id_ = ProbeSink::kNotTraced;
};

/// One bit.
class BitProbe : public Probe {
 public:
  void declare(ProbeSink* sink, std::string path, std::string meaning) {
    Probe::declare(sink, {std::move(path), ProbeInfo::Kind::bit, 1, {}, std::move(meaning)});
  }
  void set(bool value) {
    if (sink_) sink_->change(id_, static_cast<std::uint64_t>(value));
  }
  void schedule(Ps at, bool value) {
    if (sink_) sink_->schedule_bits(id_, at, value);
  }
  void rotate(const Rotation* rotation) {
    if (sink_) sink_->rotate(id_, rotation);
  }
};

/// An unsigned number of `width` bits.
class VectorProbe : public Probe {
 public:
  void declare(ProbeSink* sink, std::string path, unsigned width, std::string meaning, std::string unit = {}) {
    Probe::declare(sink, {std::move(path), ProbeInfo::Kind::vector, width, std::move(unit), std::move(meaning)});
  }
  void set(std::uint64_t value) {
    if (sink_) sink_->change(id_, value);
  }
};

/// A real number with a unit. Drawn as an analog curve, or as a number if it is a time ("us").
class RealProbe : public Probe {
 public:
  void declare(ProbeSink* sink, std::string path, std::string unit, std::string meaning, bool held = false) {
    Probe::declare(sink, {std::move(path), ProbeInfo::Kind::real, 64, std::move(unit), std::move(meaning), held});
  }
  void set(double value) {
    if (sink_) sink_->change(id_, value);
  }
  void schedule(Ps at, double value) {
    if (sink_) sink_->schedule(id_, at, value);
  }
  void cancel() {
    if (sink_) sink_->cancel(id_);
  }
  void rotate(const Rotation* rotation) {
    if (sink_) sink_->rotate(id_, rotation);
  }
};

/// A state by its name: "idle", "seek".
class TextProbe : public Probe {
 public:
  void declare(ProbeSink* sink, std::string path, std::string meaning) {
    Probe::declare(sink, {std::move(path), ProbeInfo::Kind::text, 0, {}, std::move(meaning)});
  }
  void set(std::string_view text) {
    if (sink_) sink_->change(id_, text);
  }
  void schedule(Ps at, std::string_view text) {
    if (sink_) sink_->schedule_text(id_, at, text);
  }
};

}  // namespace armature
