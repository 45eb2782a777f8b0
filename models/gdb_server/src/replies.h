#pragma once

#include "armature/gdb_server/core.h"
#include "armature/gdb_server/stop_points.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::gdb_server {

// What the server answers: "Debugging with GDB", appendix E.

inline constexpr const char* kWrong = "E01";  ///< a packet that makes no sense
inline constexpr const char* kUnknown = "";   ///< the protocol's answer to a packet that a server does not know

/// Packets about a hart's registers and memory (g, G, p, P, m, M, X). Nothing: the packet is none of them.
std::optional<std::string> answer_about(Core& core, std::string_view packet);
/// @param core  the one that stands
std::string stop_reply(const Stop& stop, const Core& core);
/// The list of qXfer:threads:read, as XML.
std::string thread_list(const std::vector<Core*>& cores);
/// Part of a text that gdb reads in pieces. @param range  "offset,length"
std::string part_of(const std::string& whole, std::string_view range);

}  // namespace armature::gdb_server
