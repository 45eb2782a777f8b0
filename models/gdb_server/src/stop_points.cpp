#include "armature/gdb_server/stop_points.h"

namespace armature::gdb_server {

void StopPoints::insert(Kind kind, std::uint32_t address, std::uint32_t bytes) {
  const Point point{kind, address, bytes};
  if (std::find(points_.begin(), points_.end(), point) == points_.end()) points_.push_back(point);
  count();
}

void StopPoints::remove(Kind kind, std::uint32_t address, std::uint32_t bytes) {
  points_.erase(std::remove(points_.begin(), points_.end(), Point{kind, address, bytes}), points_.end());
  count();
}

void StopPoints::count() {
  maybe_.reset();
  watches_ = 0;
  for (const Point& point : points_) {
    if (watches(point.kind))
      ++watches_;
    else
      maybe_.set(slot(point.address));
  }
}

const StopPoints::Kind* StopPoints::find(std::uint32_t pc) const {
  for (const Point& point : points_)
    if (!watches(point.kind) && point.address == pc) return &point.kind;
  return nullptr;
}

const StopPoints::Kind* StopPoints::find(std::uint32_t address, unsigned bytes, bool write) const {
  for (const Point& point : points_) {
    if (!watches(point.kind)) continue;
    if (point.kind == (write ? Kind::read : Kind::write)) continue;
    const std::uint64_t end = std::uint64_t{address} + bytes, watched_end = std::uint64_t{point.address} + point.bytes;
    if (address < watched_end && point.address < end) return &point.kind;
  }
  return nullptr;
}

}  // namespace armature::gdb_server
