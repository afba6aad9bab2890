// Neighbouring pixels often have the same colour, so both loops look a colour up only where it
// changes.
#include "runtime/picture/palette.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace stencil::runtime {
namespace {

uint32_t packed(const Colour& colour) {
  return uint32_t{colour[0]} << 16 | uint32_t{colour[1]} << 8 | colour[2];
}

// Calls visit(colour, first pixel, number of pixels) for the runs of equal pixels.
template <class Visit>
void for_each_run(const Image& image, const Visit& visit) {
  const size_t pixels = image.rgb.size() / 3;
  const auto colour = [&](size_t i) {
    const uint8_t* rgb = image.rgb.data() + 3 * i;
    return packed({rgb[0], rgb[1], rgb[2]});
  };
  for (size_t first = 0, end = 0; first < pixels; first = end) {
    const uint32_t here = colour(first);
    for (end = first + 1; end < pixels && colour(end) == here; ++end) {
    }
    visit(here, first, end - first);
  }
}

}  // namespace

Palette::Palette(std::vector<uint32_t> colours) : colours_(std::move(colours)) {
  std::sort(colours_.begin(), colours_.end(), [](uint32_t a, uint32_t b) {
    const auto lightness = [](uint32_t c) {
      return 30 * (c >> 16) + 59 * (c >> 8 & 0xff) + 11 * (c & 0xff);
    };
    return std::pair(lightness(a), a) < std::pair(lightness(b), b);
  });
  for (size_t n = 0; n < colours_.size(); ++n) numbers_[colours_[n]] = static_cast<uint8_t>(n);
}

std::string Palette::bytes() const {
  std::string out;
  for (const uint32_t colour : colours_) {
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(colour >> shift & 0xff);
  }
  return out;
}

uint8_t Palette::nearest(uint32_t colour) const {
  const auto distance = [colour](uint32_t other) {
    int64_t sum = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      const int64_t difference = int64_t{colour >> shift & 0xff} - int64_t{other >> shift & 0xff};
      sum += difference * difference;
    }
    return sum;
  };
  const auto best = std::min_element(colours_.begin(), colours_.end(), [&](uint32_t a, uint32_t b) {
    return distance(a) < distance(b);
  });
  return static_cast<uint8_t>(best - colours_.begin());
}

std::vector<uint8_t> Palette::numbers_of(const Image& image) {
  std::vector<uint8_t> out(image.rgb.size() / 3);
  for_each_run(image, [&](uint32_t colour, size_t first, size_t count) {
    const auto [known, added] = numbers_.try_emplace(colour, 0);
    if (added) known->second = nearest(colour);
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(first), count, known->second);
  });
  return out;
}

void ColourCount::add(const Image& image) {
  for_each_run(image, [&](uint32_t colour, size_t, size_t count) {
    pixels_[colour] += static_cast<int64_t>(count);
  });
}

Palette ColourCount::palette(const std::vector<Colour>& kept) const {
  std::unordered_map<uint32_t, bool> is_kept;
  for (const Colour& colour : kept) is_kept[packed(colour)] = true;
  std::vector<std::pair<int64_t, uint32_t>> order;  // the least important colour last
  for (const auto& [colour, pixels] : pixels_) {
    order.emplace_back(is_kept.count(colour) > 0 ? INT64_MAX : pixels, colour);
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  order.resize(std::min(order.size(), Palette::kMostColours));
  std::vector<uint32_t> colours;
  for (const auto& [pixels, colour] : order) colours.push_back(colour);
  return Palette(std::move(colours));
}

}  // namespace stencil::runtime
