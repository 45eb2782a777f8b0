#pragma once

#include "armature/host/contents_check.h"
#include "armature/host/request_listener.h"
#include "armature/workload/source.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace armature::app {

/// A load, and when all of it has ended a read of every sector that it has written (host.read_back). A read that fails
/// goes on behind the sector that could not be read.
class ReadBack final : public workload::Source {
 public:
  /// @param logical  sectors of 512 bytes in a logical one
  ReadBack(std::unique_ptr<workload::Source> load, std::uint32_t logical) : load_(std::move(load)), logical_(logical) {}
  /// Who knows what was written; before the simulation.
  void set_check(const host::ContentsCheck& check) { check_ = &check; }
  /// Of any request, before `completed`.
  void ended(const workload::Request& request, const host::CommandStatus& status);

  Next next(workload::Request& request) override;
  void completed(const workload::Request& request, Ps at) override;
  bool revise(workload::Request& ahead) override { return !load_ended_ && load_->revise(ahead); }
  bool gives_requests() const override { return load_->gives_requests(); }
  std::uint64_t expected() const override { return load_->expected(); }
  double fraction_read() const override { return load_->fraction_read(); }
  std::uint64_t dropped() const override { return load_->dropped(); }
  std::string reading() const override { return load_->reading(); }
  std::vector<LeftOut> left_out() const override { return load_->left_out(); }
  std::string device_name(std::uint32_t device) const override { return load_->device_name(device); }
  Place place() const override { return load_ended_ ? Place{} : load_->place(); }

 private:
  struct Stretch {
    std::uint64_t lbn, end;
  };
  void plan();

  const std::unique_ptr<workload::Source> load_;
  const std::uint32_t logical_;
  const host::ContentsCheck* check_ = nullptr;
  bool load_ended_ = false, planned_ = false;
  std::uint64_t next_id_ = 0, first_own_ = ~std::uint64_t{0};
  unsigned out_ = 0;
  Ps last_ = 0;
  std::deque<Stretch> stretches_;
};

}  // namespace armature::app
