#include "armature/thermal/drive_temperatures.h"

#include "armature/core/conversions.h"

#include <algorithm>

namespace armature::thermal {
namespace {

constexpr double kAluminiumJGK = 0.9;  // CRC Handbook: 0.897 J/(g K); steel and glass, the rest of a drive, have less
// Of the mass; what is left is the case. Assumed: disks, hub and motor of a 3.5-inch drive with four disks weigh some
// 180 of 700 g, its arms 20 g, its board 50 g.
constexpr double kSpindleShare = 0.26, kArmsShare = 0.03, kBoardShare = 0.07;

constexpr std::size_t index(Part part) {
  return static_cast<std::size_t>(part);
}

bool begins_with(const std::string& text, const char* start) {
  return text.rfind(start, 0) == 0;
}

bool is_coil(const std::string& component) {
  return begins_with(component, "vcm");
}

bool is_spindle(const std::string& component) {
  return begins_with(component, "spindle");
}

}  // namespace

Part part_of(const std::string& component) {
  if (is_spindle(component)) return Part::spindle;
  if (begins_with(component, "sled") || begins_with(component, "tips")) return Part::arms;
  if (is_coil(component) || begins_with(component, "preamp")) return Part::arms;
  return Part::board;
}

void ThermalParams::keys(KeyVisitor& v) {
  v.key(
      "case_k_w", case_k_w, "K/W", {0, 100},
      "Rise of the case above the air around it for each watt of the drive; 0: the drive has no temperatures. In still "
      "air 2 to 3 of a 3.5-inch drive, with a fan 0.7 to 1.5");
  v.key("ambient_c", ambient_c, "C", {-40, 100}, "Temperature of the air around the case");
  v.key("start_c", start_c, "C", {-300, 150}, "Temperature of all parts at time 0; -300: that of the air");
  v.key("mass_g", mass_g, "g", {1, 10'000}, "Mass of the drive, as its datasheet has it: 0.9 J/K a gram");
  v.key("spindle_k_w", spindle_k_w, "K/W", {0.01, 100}, "From motor and disks to the case");
  v.key("arms_k_w", arms_k_w, "K/W", {0.01, 100}, "From coils and preamplifiers to the case");
  v.key("board_k_w", board_k_w, "K/W", {0.01, 100}, "From the electronics to the case");
  v.key("limit_c", limit_c, "C", {-40, 150}, "Greatest temperature of the case that the datasheet allows");
  v.key("least_c", least_c, "C", {-40, 100}, "Lowest temperature of the case that the datasheet allows");
  v.key(
      "rise_c", rise_c, "C", {0, 150},
      "Rise of the case above the air that the drive's design allows: its thermal envelope; 0: limit_c less ambient_c");
  v.key("coil_per_k", coil_per_k, "", {0, 0.1},
        "Coils draw so much more for each degree of the arms above coil_c, as their resistance rises; copper: 0.00393. "
        "0: no change");
  v.key("coil_c", coil_c, "C", {-40, 150}, "Temperature of the arms for which the datasheet's powers hold");
  v.key("drag_per_k", drag_per_k, "", {0, 0.1},
        "The spindle draws so much more for each degree below drag_c, as its bearings' oil is thicker; 0: no change");
  v.key("drag_c", drag_c, "C", {-40, 150}, "Temperature of the spindle for which the datasheet's powers hold");
  v.key("step_s", step_s, "s", {0.001, 60}, "Temperatures are computed so often while the drive's power changes");
}

double ThermalParams::more(const std::string& component, double celsius) const {
  if (is_coil(component)) return coil_per_k * std::max(0.0, celsius - coil_c);
  if (is_spindle(component)) return drag_per_k * std::max(0.0, drag_c - celsius);
  return 0;
}

Network ThermalParams::network() const {
  const double whole = mass_g * kAluminiumJGK;
  const double rest = 1 - kSpindleShare - kArmsShare - kBoardShare;
  const std::size_t enclosure = index(Part::enclosure);
  const std::vector<Network::Body> bodies = {
      {whole * kSpindleShare}, {whole * kArmsShare}, {whole * kBoardShare}, {whole * rest}};
  return {bodies,
          {{index(Part::spindle), enclosure, 1 / spindle_k_w},
           {index(Part::arms), enclosure, 1 / arms_k_w},
           {index(Part::board), enclosure, 1 / board_k_w},
           {enclosure, Network::kAir, 1 / case_k_w}},
          ambient_c};
}

DriveTemperatures::DriveTemperatures(const ThermalParams& params, const std::string& drive, ProbeSink* probes)
    : params_(params), network_(params.network()), step_(from_seconds(params.step_s)) {
  constexpr double kFromAir = -299;
  if (params.start_c > kFromAir) network_.set_temperatures_c(std::vector<double>(kParts, params.start_c));
  most_ = now_c();
  samples_.push_back({0, most_});
  const std::string scope = (drive.empty() ? std::string() : drive + ".") + "thermal.";
  for (std::size_t i = 0; i < kParts; ++i)
    probes_[i].declare(probes, scope + kPartNames[i], "C", std::string("Temperature of the ") + kPartNames[i], true);
  show();
}

DriveTemperatures::Celsius DriveTemperatures::now_c() const {
  Celsius out;
  std::copy_n(network_.temperatures_c().begin(), kParts, out.begin());
  return out;
}

void DriveTemperatures::advance(Ps present, const Joules& drawn) {
  if (present <= last_) return;
  const double seconds = to_seconds(present - last_);
  std::vector<double> watts(kParts);
  for (std::size_t i = 0; i < kParts; ++i) watts[i] = (drawn[i] - drawn_[i]) / seconds;
  network_.advance(seconds, watts);
  const Celsius c = now_c();
  for (std::size_t i = 0; i < kParts; ++i) most_[i] = std::max(most_[i], c[i]);
  if (c[index(Part::enclosure)] > params_.limit_c) above_ += present - last_;
  last_ = present;
  drawn_ = drawn;
  keep(present);
  show();
}

/// Halves the samples when there are too many of them.
void DriveTemperatures::keep(Ps at) {
  if (at - samples_.back().at < apart_) return;
  samples_.push_back({at, now_c()});
  if (samples_.size() < kMostSamples) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
  samples_.resize(kept);
  apart_ = 2 * at / static_cast<Ps>(kMostSamples);
}

std::vector<DriveTemperatures::Sample> DriveTemperatures::samples() const {
  std::vector<Sample> all = samples_;
  if (all.back().at != last_) all.push_back({last_, now_c()});
  return all;
}

DriveTemperatures::Celsius DriveTemperatures::steady_c() const {
  std::vector<double> watts(kParts, 0);
  if (last_ > 0)
    for (std::size_t i = 0; i < kParts; ++i) watts[i] = drawn_[i] / to_seconds(last_);
  const std::vector<double> c = network_.steady_c(watts);
  Celsius out;
  std::copy_n(c.begin(), kParts, out.begin());
  return out;
}

double DriveTemperatures::headroom_c() const {
  return params_.allowed_rise_c() - (steady_c()[index(Part::enclosure)] - params_.ambient_c);
}

void DriveTemperatures::show() {
  const Celsius c = now_c();
  for (std::size_t i = 0; i < kParts; ++i) probes_[i].set(c[i]);
}

}  // namespace armature::thermal
