// Shared by the figures of planes and of lines.
#pragma once

#include <functional>

#include "runtime/picture/canvas.h"
#include "runtime/picture/figure.h"
#include "runtime/picture/ticks.h"

namespace stencil::runtime {

constexpr Colour kPaper = {255, 255, 255};
constexpr Colour kInk = {38, 38, 38};
constexpr Colour kGrey = {105, 105, 105};
constexpr Colour kGrid = {228, 228, 228};

constexpr int kTitleSize = 19, kNoteSize = 13, kLabelSize = 14, kTickSize = 13;
constexpr int64_t kTickLength = 5, kTickGap = 4, kEdge = 16;

int widest(const Ticks& ticks);
int64_t title_width(const std::string& title);  // in pixels

// What the caller draws to the right of the data area.
struct Beside {
  int64_t width = 0, height = 0;  // relative to the data area: right of it, vertically centred
  int64_t above = 0;              // space above it
};

// Layout around a data area of the given size: title above, marks and axis names beside, legend of
// NaN and infinities below.
class Frame {
 public:
  Frame(const Labels& labels, const Census& census, Ticks across, Ticks down, int64_t width,
        int64_t height, const Beside& beside);
  // Draws title, marks, axis names and legend on white paper. `across_at` and `down_at` map axis
  // values to pixels of the data area. `grid`: lines at the marks.
  Canvas draw(const std::function<int64_t(double)>& across_at,
              const std::function<int64_t(double)>& down_at, bool grid) const;
  // Corner of the data area.
  int64_t x() const { return x_; }
  int64_t y() const { return y_; }

 private:
  std::vector<std::string> note_lines(int64_t room) const;
  void draw_legend(Canvas& canvas) const;

  const Labels& labels_;
  const Census& census_;
  Ticks across_, down_;
  int64_t width_, height_;
  std::vector<std::string> notes_;
  int64_t x_ = 0, y_ = 0, whole_width_ = 0, whole_height_ = 0;
};

}  // namespace stencil::runtime
