#include "armature/observe/run_folder.h"

#include "armature/core/config.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace armature::observe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOfARun[] = {"summary.json",   "report.html", "waves.fst",
                                   "waves.fst.hier", "waves.gtkw",  "waves.sucl"};
constexpr const char* kOfADrive[] = {"requests.csv", "events.csv",   "energy.csv",  "members.csv",
                                     "commands.csv", "commands.hex", "journal.tsv", "jobs.csv"};

/// A view that `explain` has left: request-300.gtkw, request-300.sucl.
bool is_view_of_request(const fs::path& file) {
  const std::string head = "request-", stem = file.stem().string();
  if (file.extension() != ".gtkw" && file.extension() != ".sucl") return false;
  return stem.size() > head.size() && stem.compare(0, head.size(), head) == 0 &&
         stem.find_first_not_of("0123456789", head.size()) == std::string::npos;
}

bool is_name(const std::string& drive) {
  return !drive.empty() && drive.find('/') == std::string::npos && drive != "." && drive != "..";
}

/// The headers of the sections of drives and of an array. What stands below them is most of the file.
std::string headers_of(const fs::path& resolved) {
  std::string headers;
  std::ifstream file(resolved);
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 8, "[drives.") == 0 || line.compare(0, 6, "[array") == 0) headers.append(line) += '\n';
  return headers;
}

}  // namespace

FolderLock::~FolderLock() {
  for (const int file : files_) ::close(file);
}

void FolderLock::hold(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;  // whoever writes into it will say what is wrong
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    files_.push_back(file);
    return;
  }
  const bool held = errno == EWOULDBLOCK;
  ::close(file);
  if (held) throw FolderInUse(Place{folder.string()}, "another run is writing its results there");
}

std::vector<std::string> drives_of_earlier_run(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::is_regular_file(folder / "resolved.toml", error)) return names;
  try {
    const config::Node resolved = config::parse(headers_of(folder / "resolved.toml"), "resolved.toml");
    const config::Node* const drives = resolved.find("drives");
    if (!drives) return names;
    for (const auto& [name, drive] : drives->members)
      if (is_name(name)) names.push_back(name);
    if (resolved.find("array")) names.emplace_back("array");
  } catch (const InputError&) {
    names.clear();  // of a run that was killed, or edited since: no word on drives
  }
  return names;
}

std::vector<fs::path> files_of_run(const fs::path& folder, const std::vector<std::string>& drives) {
  std::vector<fs::path> files = {folder / "stats.json"};
  for (const char* name : kOfARun) files.push_back(folder / name);
  for (const char* name : kOfADrive) files.push_back(folder / name);
  for (const std::string& drive : drives)
    for (const char* name : kOfADrive) files.push_back(folder / drive / name);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_view_of_request(entry.path().filename())) files.push_back(entry.path());
  return files;
}

void remove_earlier_run(const fs::path& folder, const std::vector<std::string>& earlier) {
  std::error_code ignored;
  for (const char* name : kOfARun) fs::remove(folder / name, ignored);
  if (fs::is_regular_file(folder / "stats.json", ignored)) fs::remove(folder / "stats.json", ignored);  // no pipe
  std::vector<fs::path> views;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_view_of_request(entry.path().filename())) views.push_back(entry.path());
  for (const fs::path& view : views) fs::remove(view, ignored);
  if (earlier.empty()) return;
  if (earlier.size() == 1) {
    for (const char* name : kOfADrive) fs::remove(folder / name, ignored);
    return;
  }
  for (const std::string& drive : earlier) {
    const fs::path below = folder / drive;
    if (!fs::is_directory(below, ignored) || fs::exists(below / "resolved.toml", ignored)) continue;
    for (const char* name : kOfADrive) fs::remove(below / name, ignored);
    fs::remove(below, ignored);  // with something else in it, it stays
  }
}

}  // namespace armature::observe
