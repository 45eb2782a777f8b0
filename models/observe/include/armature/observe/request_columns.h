#pragma once

#include "armature/observe/request_record.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace armature::observe {

// The columns of requests.csv: the one table of their names, units and meanings. RequestLog writes them, `explain`
// reads them, `describe requests.csv` prints them; docs/reference/results.md is generated from it, and the Python tools
// are tested against it.

/// What a request does in each phase; in the order of Phase.
inline constexpr std::array<std::string_view, kPhases> kPhaseMeanings = {
    "waited in the host for policy and a free tag",
    "its command frame waited for the link or was on it",
    "the drive's processor handled it or was about to",
    "waited in the drive for an arm",
    "chosen; the arbitration unit's latency",
    "the arm moved or switched heads",
    "settling before the write",
    "on its track, waited for a data channel",
    "waited for the sector's angle",
    "sectors passed under the head",
    "waited for data that another request or read-ahead brought into the buffer",
    "waited for written data to go to the media",
    "its data waited for the link",
    "its data were on the link",
    "its completion frame waited for the link or was on it",
};

/// A column's value: a time in ps, written as microseconds with six decimals.
struct ColumnTime {
  Ps ps;
};
/// A column for each phase, in their order: its name with "_us".
using ColumnTimes = const std::array<Ps, kPhases>*;

/// `get` takes the value from a request's record: std::uint64_t, ColumnTime, ColumnTimes, text, or an optional one that
/// some requests do not have.
template <class Get>
struct ColumnOfRequest {
  std::string_view name, unit, meaning;
  Get get;
};
template <class Get>
ColumnOfRequest(const char*, const char*, const char*, Get) -> ColumnOfRequest<Get>;

namespace columns {

using Record = const RequestRecord&;
using Count = std::uint64_t;

constexpr std::optional<Count> of_access(Record r, std::uint32_t value) {
  return r.accesses > 0 ? std::optional<Count>(value) : std::nullopt;
}
constexpr std::optional<ColumnTime> if_known(Ps time) {
  return time != kNoTime ? std::optional(ColumnTime{time}) : std::nullopt;
}
inline constexpr std::array<std::string_view, 3> kOperations = {"read", "write", "flush"};

}  // namespace columns

/// In the order of the file.
inline constexpr auto kRequestColumns = [] {
  using namespace columns;
  return std::make_tuple(
      ColumnOfRequest{"id", "", "position in the workload's stream, from 0", [](Record r) { return r.id; }},
      ColumnOfRequest{"device", "", "device number of the trace, or row of workload.mix, from 0",
                      [](Record r) { return Count{r.device}; }},
      ColumnOfRequest{"op", "", "`read`, `write` or `flush`",
                      [](Record r) { return kOperations[static_cast<std::size_t>(r.operation)]; }},
      ColumnOfRequest{"lbn", "512-byte sectors", "first block", [](Record r) { return r.lbn; }},
      ColumnOfRequest{"sectors", "512-byte sectors", "length", [](Record r) { return Count{r.sectors}; }},
      ColumnOfRequest{"tag", "", "command tag of the last dispatch, 0 if it was not queued",
                      [](Record r) { return Count{r.tag}; }},
      ColumnOfRequest{"arm", "", "arm of the first media access", [](Record r) { return of_access(r, r.arm); }},
      ColumnOfRequest{"head", "", "head of the first media access", [](Record r) { return of_access(r, r.head); }},
      ColumnOfRequest{"cylinder", "", "cylinder of the first media access",
                      [](Record r) { return of_access(r, r.cylinder); }},
      ColumnOfRequest{"seek_cylinders", "cylinders", "distance of the move to the first media access",
                      [](Record r) { return of_access(r, r.seek_cylinders); }},
      ColumnOfRequest{"accesses", "", "media accesses; one per track or buffer segment",
                      [](Record r) { return Count{r.accesses}; }},
      ColumnOfRequest{"arrival_us", "us", "when the request arrived at the host queue",
                      [](Record r) { return ColumnTime{r.arrival}; }},
      ColumnOfRequest{"completion_us", "us", "when it was complete at the host",
                      [](Record r) { return ColumnTime{r.completion}; }},
      ColumnOfRequest{"response_us", "us", "time from arrival to completion",
                      [](Record r) { return ColumnTime{r.response()}; }},
      ColumnOfRequest{"", "us", "", [](Record r) -> ColumnTimes { return &r.phases; }},
      ColumnOfRequest{"link_overlapped_us", "us", "link time during a media phase",
                      [](Record r) { return ColumnTime{r.link_overlapped}; }},
      ColumnOfRequest{"adapter_us", "us",
                      "of an AHCI controller: from the driver's order to its command frame, and from its completion "
                      "frame to the interrupt message",
                      [](Record r) { return if_known(r.adapter); }},
      ColumnOfRequest{"predicted_positioning_us", "us",
                      "the arm-arbitration unit's estimate of the time from the grant to the first sector",
                      [](Record r) { return if_known(r.predicted_positioning); }},
      ColumnOfRequest{"positioning_us", "us", "the actual time from the grant to the first sector",
                      [](Record r) { return if_known(r.positioning); }},
      ColumnOfRequest{"missed_revolutions", "", "missed revolutions of all accesses",
                      [](Record r) { return Count{r.missed_revolutions}; }},
      ColumnOfRequest{"miss_cause", "",
                      "cause of the missed revolutions; of several, each with its number of revolutions, joined by a "
                      "bar, the first one first; empty if there is none",
                      [](Record r) { return r.miss_cause == MissCause::none ? std::string() : miss_causes_of(r); }},
      ColumnOfRequest{"job", "", "job of the host's program that it was part of, where a Linux run knows it",
                      [](Record) { return std::string_view(); }},
      ColumnOfRequest{
          "status", "",
          "`ok`, or the error register's bits: `ABRT`, `IDNF`, `UNC`, `ICRC`, joined by a bar; `ERR` if none is "
          "set; `gave up`: the drive has not answered (`host.timeout_s`, `host.retries`)",
          [](Record r) { return r.ok ? std::string("ok") : status_of(r); }});
}();

/// A column as `describe` and the documentation show it.
struct RequestColumn {
  std::string name;
  std::string_view unit;
  std::string meaning;
};

/// All columns, in the order of the file.
std::vector<RequestColumn> request_columns();

}  // namespace armature::observe
