// Colours of images, counted and numbered.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/picture/colour_map.h"
#include "runtime/picture/image.h"

namespace stencil::runtime {

// At most 256 colours, sorted by lightness, so that similar colours have similar numbers.
class Palette {
 public:
  static constexpr size_t kMostColours = 256;

  // `colours`: 0xRRGGBB, distinct.
  explicit Palette(std::vector<uint32_t> colours);
  size_t size() const { return colours_.size(); }
  // Three bytes per colour, in the order of their numbers.
  std::string bytes() const;
  // The number of each pixel's colour; of the nearest one if the palette does not contain it.
  std::vector<uint8_t> numbers_of(const Image& image);

 private:
  uint8_t nearest(uint32_t colour) const;

  std::vector<uint32_t> colours_;
  std::unordered_map<uint32_t, uint8_t> numbers_;
};

// Counts the colours of images that share a palette.
class ColourCount {
 public:
  void add(const Image& image);
  bool fits_palette() const { return pixels_.size() <= Palette::kMostColours; }
  // All colours if they fit. Otherwise those of `kept` that occur, and the most frequent others:
  // the omitted ones are shades at the edges of text and lines.
  Palette palette(const std::vector<Colour>& kept = {}) const;

 private:
  std::unordered_map<uint32_t, int64_t> pixels_;
};

}  // namespace stencil::runtime
