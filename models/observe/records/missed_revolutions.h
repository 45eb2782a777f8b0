#pragma once

#include "request_course.h"

namespace armature::observe {

/// Counts in its record the revolutions that a request missed, by their causes: docs/reference/results.md, "Missed
/// revolutions".
/// @param timeline    of the request, as RequestCourse::divide leaves it
/// @param timings     of its accesses, one at least
/// @param revolution  time of one turn, ps; above 0
void count_missed(RequestCourse& course, const std::vector<Segment>& timeline, const std::vector<AccessTiming>& timings,
                  Ps revolution);

}  // namespace armature::observe
