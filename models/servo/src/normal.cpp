#include "normal.h"

#include <cmath>

namespace armature::servo {
namespace {

constexpr int kLayers = 256;
constexpr double kTail = 3.6541528853610088;  // where the lowest layer ends
constexpr double kArea = 0.00492867323399;    // of each layer

struct Layers {
  double x[kLayers + 1];
  double y[kLayers + 1];

  Layers() {
    const auto density = [](double at) { return std::exp(-0.5 * at * at); };
    x[0] = kArea / density(kTail);  // the lowest layer with its tail as a rectangle
    x[1] = kTail;
    for (int i = 2; i < kLayers; ++i) x[i] = std::sqrt(-2 * std::log(kArea / x[i - 1] + density(x[i - 1])));
    x[kLayers] = 0;
    for (int i = 0; i <= kLayers; ++i) y[i] = density(x[i]);
  }
};

}  // namespace

double NormalStream::next() {
  static const Layers layers;
  for (;;) {
    const std::uint64_t bits = stream_.bits();
    const auto layer = static_cast<int>(bits & 0xFF);
    const double uniform = static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;  // -1 to 1
    const double x = uniform * layers.x[layer];
    if (std::fabs(x) < layers.x[layer + 1]) return x;
    if (layer == 0) {
      double beyond, height;
      do {
        beyond = -std::log(1 - stream_.uniform()) / kTail;
        height = -std::log(1 - stream_.uniform());
      } while (2 * height < beyond * beyond);
      return x < 0 ? -kTail - beyond : kTail + beyond;
    }
    const double y = layers.y[layer] + stream_.uniform() * (layers.y[layer + 1] - layers.y[layer]);
    if (y < std::exp(-0.5 * x * x)) return x;
  }
}

}  // namespace armature::servo
