#pragma once

#include "armature/core/error.h"
#include "armature/core/schema.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace armature {

/// A visitor that knows lists of sections, `[[host.commands]]`: the one that reads files and the one that collects the
/// schema. Others pass them over.
class SectionListVisitor {
 public:
  /// Begins a list that has `count` elements so far; returns how many it shall have.
  virtual std::size_t begin_list(std::string_view name, std::size_t count, std::string_view meaning) = 0;
  /// The keys of one element follow. `sample`: none of the list's, only there to tell what keys it would have. Returns
  /// where it is written, if it is.
  virtual Place begin_element(std::size_t index, bool sample) = 0;
  virtual void end_element() = 0;
  virtual void end_list() = 0;

 protected:
  ~SectionListVisitor() = default;
};

/// A key that is a list of sections, each with the keys of `Row`, whose member `place` becomes that of its header.
template <class Row>
void sections(KeyVisitor& visitor, std::string_view name, std::vector<Row>& rows, std::string_view meaning) {
  auto* const lists = dynamic_cast<SectionListVisitor*>(&visitor);
  if (!lists) return;
  const std::size_t count = lists->begin_list(name, rows.size(), meaning);
  if (count != rows.size()) rows.assign(count, Row{});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Place place = lists->begin_element(i, /*sample=*/false);
    if (!place.file.empty()) rows[i].place = place;
    rows[i].keys(visitor);
    lists->end_element();
  }
  if (rows.empty()) {
    Row sample;
    lists->begin_element(0, /*sample=*/true);
    sample.keys(visitor);
    lists->end_element();
  }
  lists->end_list();
}

}  // namespace armature
