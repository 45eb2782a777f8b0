#pragma once

#include "armature/workload/params.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace armature::workload {

/// Changes requests on their way from another source; everything else is the other one's.
class Decorator : public Source {
 public:
  explicit Decorator(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}

  void completed(const Request& request, Ps at) override { inner_->completed(request, at); }
  bool revise(Request& ahead) override { return inner_->revise(ahead); }
  std::uint64_t expected() const override { return inner_->expected(); }
  double fraction_read() const override { return inner_->fraction_read(); }
  std::uint64_t dropped() const override { return inner_->dropped(); }
  std::string reading() const override { return inner_->reading(); }
  std::vector<LeftOut> left_out() const override { return inner_->left_out(); }
  std::string device_name(std::uint32_t device) const override { return inner_->device_name(device); }
  Place place() const override { return inner_->place(); }

 protected:
  Source& inner() { return *inner_; }
  const Source& inner() const { return *inner_; }

 private:
  std::unique_ptr<Source> inner_;
};

/// Device k of the input gets a range of the drive of its own.
class Concatenation final : public Decorator {
 public:
  struct Range {
    std::uint32_t device = 0;
    std::uint64_t offset = 0;   ///< LBN of the device's first sector
    std::uint64_t sectors = 0;  ///< 0: not known
  };

  Concatenation(std::unique_ptr<Source> inner, std::vector<Range> ranges);
  Next next(Request& request) override;

 private:
  std::vector<Range> ranges_;  // by device
};

/// Keeps requests within the drive.
class AddressRange final : public Decorator {
 public:
  /// @param policy          what happens to requests outside
  /// @param source_sectors  size of the address space that `scale` maps to the drive
  AddressRange(std::unique_ptr<Source> inner, WorkloadParams::OutOfRange policy, std::uint64_t source_sectors,
               std::uint64_t drive_sectors);
  Next next(Request& request) override;
  std::uint64_t dropped() const override { return dropped_ + inner().dropped(); }

 private:
  /// Scaling moves pieces of this size as a whole, so that a sequential run stays one.
  static constexpr std::uint64_t kPiece = 2048;

  void scale(Request& request) const;
  void wrap(Request& request) const;
  [[noreturn]] void outside(const Request& request, std::uint64_t sectors, std::string_view whose) const;

  const WorkloadParams::OutOfRange policy_;
  const std::uint64_t source_sectors_;
  const std::uint64_t drive_sectors_;
  std::uint64_t taken_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace armature::workload
