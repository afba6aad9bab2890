// The font is a subset of DejaVu Sans (font/README.md), rendered by stb_truetype. Both are part of
// the binary, so pictures have the same bytes everywhere and need no installed font. FreeType would
// also work, but its static archive depends on libpng, brotli and bzip2.
#include "runtime/picture/font.h"

#include <algorithm>
#include <cmath>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#if __has_include(<stb/stb_truetype.h>)
#include <stb/stb_truetype.h>
#else
#include <stb_truetype.h>
#endif

// Embeds the font file.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".hidden stencil_font_file\n"
    ".globl stencil_font_file\n"
    "stencil_font_file:\n"
    ".incbin \"" STENCIL_FONT
    "\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const unsigned char stencil_font_file[] __attribute__((visibility("hidden")));

namespace stencil::runtime {
namespace {

const stbtt_fontinfo& font() {
  static const stbtt_fontinfo loaded = [] {
    stbtt_fontinfo info{};
    stbtt_InitFont(&info, stencil_font_file, stbtt_GetFontOffsetForIndex(stencil_font_file, 0));
    return info;
  }();
  return loaded;
}

// Decodes UTF-8. A byte outside a valid sequence becomes U+FFFD.
std::vector<int> code_points(const std::string& text) {
  std::vector<int> points;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int more = lead < 0x80   ? 0
                     : lead < 0xc2 ? -1
                     : lead < 0xe0 ? 1
                     : lead < 0xf0 ? 2
                     : lead < 0xf5 ? 3
                                   : -1;
    int point = more <= 0 ? lead : lead & (0x3f >> more);
    bool sound = more >= 0 && i + static_cast<size_t>(more) < text.size();
    for (int k = 1; sound && k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<size_t>(k)]);
      sound = (next & 0xc0) == 0x80;
      point = point << 6 | (next & 0x3f);
    }
    points.push_back(sound ? point : 0xfffd);
    i += sound ? static_cast<size_t>(more) + 1 : 1;
  }
  return points;
}

float scale_of(int size) {
  return stbtt_ScaleForMappingEmToPixels(&font(), static_cast<float>(size));
}

// Calls visit(glyph, x of the pen) and returns the total advance.
template <typename Visit>
float walk(const std::string& text, float scale, Visit visit) {
  float pen = 0;
  int before = 0;
  for (const int point : code_points(text)) {
    const int glyph = stbtt_FindGlyphIndex(&font(), point);
    int advance = 0, bearing = 0;
    stbtt_GetGlyphHMetrics(&font(), glyph, &advance, &bearing);
    if (before != 0) {
      pen += scale * static_cast<float>(stbtt_GetGlyphKernAdvance(&font(), before, glyph));
    }
    visit(glyph, pen);
    pen += scale * static_cast<float>(advance);
    before = glyph;
  }
  return pen;
}

}  // namespace

int text_width(const std::string& text, int size) {
  return static_cast<int>(std::ceil(walk(text, scale_of(size), [](int, float) {})));
}

TextPixels text_pixels(const std::string& text, int size) {
  const float scale = scale_of(size);
  int ascent = 0, descent = 0, gap = 0;
  stbtt_GetFontVMetrics(&font(), &ascent, &descent, &gap);
  TextPixels out;
  out.width = text_width(text, size);
  out.baseline = static_cast<int>(std::ceil(scale * static_cast<float>(ascent)));
  out.height = out.baseline + static_cast<int>(std::ceil(-scale * static_cast<float>(descent)));
  out.cover.assign(static_cast<size_t>(out.width) * static_cast<size_t>(out.height), 0);
  walk(text, scale, [&](int glyph, float pen) {
    const float whole = std::floor(pen);
    int left = 0, top = 0, right = 0, bottom = 0;
    stbtt_GetGlyphBitmapBoxSubpixel(&font(), glyph, scale, scale, pen - whole, 0, &left, &top,
                                    &right, &bottom);
    if (right <= left || bottom <= top) return;
    std::vector<uint8_t> cover(static_cast<size_t>(right - left) *
                               static_cast<size_t>(bottom - top));
    stbtt_MakeGlyphBitmapSubpixel(&font(), cover.data(), right - left, bottom - top, right - left,
                                  scale, scale, pen - whole, 0, glyph);
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const int to_x = x + static_cast<int>(whole), to_y = y + out.baseline;
        if (to_x < 0 || to_x >= out.width || to_y < 0 || to_y >= out.height) continue;
        uint8_t& to = out.cover[to_y * out.width + to_x];
        to = std::max(to, cover[(y - top) * (right - left) + x - left]);
      }
    }
  });
  return out;
}

}  // namespace stencil::runtime
