// What the figures of planes and of lines share.
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

// What the caller draws to the right of the data.
struct Beside {
  int64_t width = 0, height = 0;  // from the data's edge; in the middle of its height
  int64_t above = 0;              // room over it
};

// A title over the data, marks and names of axes beside it, a legend of odd values below, around a
// data area of that size.
class Frame {
 public:
  Frame(const Labels& labels, const Census& census, Ticks across, Ticks down, int64_t width,
        int64_t height, const Beside& beside);
  // White paper with all of it. `across_at` and `down_at` give the pixel of the data area at which
  // a value of the axis lies. `grid`: lines at the marks.
  Canvas draw(const std::function<int64_t(double)>& across_at,
              const std::function<int64_t(double)>& down_at, bool grid) const;
  // Where the data area begins.
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
