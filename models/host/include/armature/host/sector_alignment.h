#pragma once

#include "armature/workload/source.h"

#include <cstdint>
#include <memory>

namespace armature::host {

/// Passes on the requests of another source to a drive whose LBAs count more than 512 bytes. A request that begins or
/// ends inside a logical sector is either an InputError (with the place in the input) or widened to whole ones.
class SectorAlignment final : public workload::Source {
 public:
  /// @param sectors  512-byte sectors of a logical one, above 1
  SectorAlignment(std::unique_ptr<workload::Source> source, std::uint32_t sectors, bool widen)
      : source_(std::move(source)), sectors_(sectors), widen_(widen) {}

  Next next(workload::Request& request) override;
  void completed(const workload::Request& request, Ps at) override { source_->completed(request, at); }
  bool revise(workload::Request& ahead) override { return source_->revise(ahead); }
  std::uint64_t expected() const override { return source_->expected(); }
  double fraction_read() const override { return source_->fraction_read(); }
  std::uint64_t dropped() const override { return source_->dropped(); }
  std::string reading() const override { return source_->reading(); }
  std::vector<LeftOut> left_out() const override { return source_->left_out(); }
  std::string device_name(std::uint32_t device) const override { return source_->device_name(device); }
  Place place() const override { return source_->place(); }

 private:
  const std::unique_ptr<workload::Source> source_;
  const std::uint32_t sectors_;
  const bool widen_;
};

}  // namespace armature::host
