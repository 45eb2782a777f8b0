#include "armature/observe/member_log.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace armature::observe {
namespace {

constexpr std::array<std::string_view, 3> kOperationNames = {"read", "write", "flush"};

}  // namespace

MemberLog::MemberLog(std::filesystem::path file) : file_(std::move(file)), out_(file_, std::ios::binary) {
  out_ << header() << '\n';
  if (!out_) throw InputError("cannot write " + file_.string());
}

std::string MemberLog::header() {
  return "request,drive,id,purpose,op,lbn,sectors,begin_us,end_us,response_us,bus,bus_wait_us,bus_us,status";
}

void MemberLog::add(const MemberRow& row) {
  const auto us = [](Ps at) { return fmt::format("{}.{:06}", at / kPsPerUs, at % kPsPerUs); };
  if (row.ended != held_at_) write_held();
  held_at_ = row.ended;
  held_.push_back(fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.request ? fmt::to_string(*row.request) : std::string(),
      row.drive, row.id ? fmt::to_string(*row.id) : std::string(), row.purpose,
      kOperationNames[static_cast<std::size_t>(row.operation)], row.lbn, row.sectors, us(row.begun), us(row.ended),
      us(row.ended - row.begun), row.bus ? fmt::to_string(row.bus->number) : std::string(),
      row.bus ? us(row.bus->wait) : std::string(), row.bus ? us(row.bus->time) : std::string(),
      row.ok ? "ok" : "failed"));
}

void MemberLog::write_held() {
  std::sort(held_.begin(), held_.end());
  for (const std::string& line : held_) out_ << line;
  held_.clear();
}

void MemberLog::finish() {
  write_held();
  out_.close();
  if (!out_) throw InputError("cannot write " + file_.string());
}

}  // namespace armature::observe
