#include "armature/host/batch_maker.h"

#include <cstring>

namespace armature::host {

using workload::Request;

bool BatchMaker::collect(const Request& first, DispatchPolicy& policy) {
  requests_.clear();
  blocks_.clear();
  places_.clear();
  if (first.operation == Operation::flush || !add(first)) return false;
  policy.take_along([&](const Request& request) {
    return request.operation == first.operation && requests_.size() < most_requests_ && add(request);
  });
  return requests_.size() > 1;
}

bool BatchMaker::add(const Request& request) {
  const std::size_t before = places_.size();
  for (std::uint32_t i = 0; i < request.sectors; ++i) {
    const StoreMap::Place place = map_.locate(request.lbn + i);
    if (!map_.fits(places_, place)) {
      places_.resize(before);
      blocks_.resize(before);
      return false;
    }
    places_.push_back(place);
    blocks_.push_back(request.lbn + i);
  }
  requests_.push_back(request);
  return true;
}

BlockCommand BatchMaker::command(const std::vector<std::uint8_t*>& data) {
  data_ = data;
  BlockCommand command;
  command.operation = requests_.front().operation;
  command.sectors = static_cast<std::uint32_t>(blocks_.size());
  if (data_.front() == nullptr) return command;
  buffer_.resize(blocks_.size() * kSectorBytes);
  command.data = buffer_.data();
  if (command.operation == Operation::write) {
    std::uint8_t* to = buffer_.data();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const std::size_t bytes = std::size_t{requests_[i].sectors} * kSectorBytes;
      std::memcpy(to, data_[i], bytes);
      to += bytes;
    }
  }
  return command;
}

void BatchMaker::hand_out() {
  if (data_.front() == nullptr || requests_.front().operation != Operation::read) return;
  const std::uint8_t* from = buffer_.data();
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const std::size_t bytes = std::size_t{requests_[i].sectors} * kSectorBytes;
    std::memcpy(data_[i], from, bytes);
    from += bytes;
  }
}

}  // namespace armature::host
