#include "calibration_cache.h"

#include "armature/core/schema.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>

namespace armature::drive {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "armature calibration 2";

/// All values of a configuration, one a line.
class Text final : public KeyVisitor {
 public:
  std::string text;

  void key(std::string_view name, double& value, std::string_view, Range, std::string_view) override {
    line(name, fmt::format("{:.17g}", value));
  }
  void key(std::string_view name, std::int64_t& value, std::string_view, Range, std::string_view) override {
    line(name, std::to_string(value));
  }
  void key(std::string_view name, bool& value, std::string_view) override { line(name, value ? "true" : "false"); }
  void key(std::string_view name, std::string& value, std::string_view) override { line(name, value); }
  void choice(std::string_view name, int& value, const std::vector<std::string_view>&, std::string_view) override {
    line(name, std::to_string(value));
  }
  void list(std::string_view name, std::vector<double>& value, std::string_view, Range, std::string_view) override {
    std::string all;
    for (const double one : value) all += fmt::format("{:.17g} ", one);
    line(name, all);
  }
  void list(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    std::string all;
    for (const std::string& one : value) all += one + " ";
    line(name, all);
  }
  void table(std::string_view name, std::vector<std::vector<double>>& rows, const std::vector<Column>&,
             std::string_view) override {
    for (std::vector<double>& row : rows) list(name, row, {}, {}, {});
  }
  void begin_section(std::string_view name, std::string_view) override { line("[", name); }
  void end_section() override { line("]", ""); }

 private:
  void line(std::string_view name, std::string_view value) {
    text += name;
    text += '=';
    text += value;
    text += '\n';
  }
};

std::string text_of(servo::ServoParams servo, const servo::CalibrationPlan& plan) {
  Text text;
  servo.cases = {};
  servo.keys(text);
  return fmt::format("{}\n{}{} {} {} {} {:.17g}\n", kVersion, text.text, plan.cylinders, plan.distances, plan.seeks,
                     plan.validations, plan.quantile);
}

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001B3u;
  return hash;
}

fs::path folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache && *cache == '/') return fs::path(cache) / "armature";
  if (home && *home == '/') return fs::path(home) / ".cache" / "armature";
  return {};
}

std::optional<servo::Calibration> read(const fs::path& file, const std::string& text) {
  std::ifstream stream(file, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(stream)), {});
  if (all.size() <= text.size() || all.compare(0, text.size(), text) != 0) return std::nullopt;
  std::istringstream rest(all.substr(text.size()));
  const auto number = [&rest] {
    std::string word;
    rest >> word;
    return std::strtod(word.c_str(), nullptr);
  };
  servo::Calibration found;
  std::size_t rows = 0;
  rest >> rows;
  found.margin = number();
  found.coil_w = number();
  for (std::size_t i = 0; i < rows && i < 10'000; ++i) {
    servo::CalibratedDistance& row = found.distances.emplace_back();
    rest >> row.cylinders;
    for (servo::SettleTimes* const times : {&row.inward, &row.outward, &row.late}) {
      times->read = number();
      times->write = number();
    }
  }
  std::string end;
  rest >> end;
  return end == "end" && !found.distances.empty() ? std::optional(found) : std::nullopt;
}

void write(const fs::path& file, const std::string& text, const servo::Calibration& measured) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const fs::path draft = file.string() + fmt::format(".{}", ::getpid());
  std::ofstream stream(draft, std::ios::binary);
  stream << text << measured.distances.size() << fmt::format(" {:a} {:a}\n", measured.margin, measured.coil_w);
  for (const servo::CalibratedDistance& row : measured.distances)
    stream << fmt::format("{} {:a} {:a} {:a} {:a} {:a} {:a}\n", row.cylinders, row.inward.read, row.inward.write,
                          row.outward.read, row.outward.write, row.late.read, row.late.write);
  stream << "end\n";
  stream.close();
  if (stream)
    fs::rename(draft, file, ignored);
  else
    fs::remove(draft, ignored);
}

}  // namespace

servo::Calibration cached_calibration(const servo::ServoParams& given, const servo::CalibrationPlan& plan) {
  servo::ServoParams servo = given;
  servo.external = {};  // a drive calibrates itself at rest
  const std::string text = text_of(servo, plan);
  static std::mutex mutex;
  static std::map<std::string, servo::Calibration> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(text); found != known.end()) return found->second;
  // What a file of runout holds may change.
  const fs::path place = servo.rro.sequence_file.empty() ? folder() : fs::path();
  const fs::path file = place.empty() ? place : place / fmt::format("servo-{:016x}", hash_of(text));
  if (!file.empty())
    if (const auto stored = read(file, text)) return known[text] = *stored;
  const servo::Calibration measured = servo::calibrate(servo, plan);
  if (!file.empty()) write(file, text, measured);
  return known[text] = measured;
}

}  // namespace armature::drive
