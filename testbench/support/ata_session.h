#pragma once

#include "support/program.h"
#include "support/tab_separated.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace armature::testing {

/// A row "answer" of `armature ata --tsv` by its columns' names.
using AtaRow = std::map<std::string, std::string>;

inline std::vector<AtaRow> ata_rows(const std::string& tsv) {
  static const std::vector<std::string> kColumns = {
      "kind",  "number",       "name",       "command",       "opcode",      "features",  "count",
      "lba",   "device",       "due_s",      "sent_s",        "completed_s", "end",       "status",
      "error", "answer_count", "answer_lba", "answer_device", "tag",         "bytes_out", "bytes_in"};
  std::vector<AtaRow> rows;
  for (const auto& cells : tab_separated(tsv)) {
    if (cells.empty() || cells[0] != "answer") continue;
    AtaRow row;
    for (std::size_t i = 0; i < cells.size() && i < kColumns.size(); ++i) row[kColumns[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

struct AtaAnswer {
  std::string end, status, error, count, lba;
  double sent_s, completed_s;  ///< completed_s is 0 if nothing has come
  double took_s() const { return completed_s == 0 ? 0 : completed_s - sent_s; }
};

struct AtaSession {
  std::vector<AtaAnswer> answers;
  std::string out;
};

/// Runs `armature ata drive.toml script.txt --tsv` in a directory that has the drive; `more` are further arguments.
inline AtaSession ata_session(const Workplace& place, const std::string& script,
                              const std::vector<std::string>& more = {}) {
  place.write("script.txt", script);
  std::vector<std::string> words = {"ata", "drive.toml", "script.txt", "--tsv"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome got = place.run(words);
  EXPECT_EQ(got.status, 0) << got.err;
  AtaSession session{{}, got.out};
  const auto seconds = [](const std::string& cell) { return cell.empty() ? 0 : std::stod(cell); };
  for (const AtaRow& row : ata_rows(got.out))
    session.answers.push_back({row.at("end"), row.at("status"), row.at("error"), row.at("answer_count"),
                               row.at("answer_lba"), seconds(row.at("sent_s")), seconds(row.at("completed_s"))});
  return session;
}

/// The same with a drive of its own.
inline AtaSession ata_session(const std::string& drive, const std::string& script) {
  const Workplace place;
  place.write("drive.toml", drive);
  return ata_session(place, script);
}

}  // namespace armature::testing
