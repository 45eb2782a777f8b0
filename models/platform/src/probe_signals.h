#pragma once

#include "armature/core/probe.h"
#include "armature/core/time.h"

#include <systemc>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// Shows chosen probes of a drive as signals. What is announced ahead is written when its time has come.
class ProbeSignals final : public sc_core::sc_module, public ProbeSink {
 public:
  /// @param prefix  of the drive's probes, with its dot
  /// @param paths   below that
  ProbeSignals(sc_core::sc_module_name name, std::string prefix, const std::vector<std::string>& paths);

  /// Throws InputError if no block has declared one of them.
  void check() const;
  const sc_core::sc_signal_in_if<double>& signal(std::string_view path) const;

  Id declare(const ProbeInfo& info) override;
  void change(Id id, std::uint64_t value) override;
  void change(Id id, double value) override;
  void change(Id, std::string_view) override {}
  void schedule(Id id, Ps at, double value) override;
  void schedule_bits(Id id, Ps at, std::uint64_t value) override { schedule(id, at, static_cast<double>(value)); }
  /// An angle is not followed: the signal is not a number from then on.
  void rotate(Id id, const Rotation* rotation) override;
  void cancel(Id id) override;

 private:
  using Signal = sc_core::sc_signal<double, sc_core::SC_MANY_WRITERS>;
  struct Shown {
    std::string path;
    bool declared = false;
    bool text = false;
    std::unique_ptr<Signal> signal;
    std::multimap<Ps, double> later;
  };
  void write_due();
  void set_next();

  const std::string prefix_;
  std::vector<Shown> shown_;
  sc_core::sc_event due_;
};

}  // namespace armature
