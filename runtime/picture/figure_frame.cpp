// Layout from the data area outwards: marks, labels, axis name, edge of the paper. The title starts
// at the left edge of the data.
#include "runtime/picture/figure_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/picture/font.h"

namespace stencil::runtime {
namespace {

constexpr int64_t kLeastRoom = 380;  // minimum width for lines of notes
constexpr int64_t kLine = 18;        // line height of notes
constexpr int64_t kLegend = 26;      // height
constexpr int64_t kSwatch = 12;

std::string name_of(const std::string& axis, const Ticks& ticks) {
  return ticks.common.empty() ? axis : fmt::format("{}  [{}]", axis, ticks.common);
}

struct LegendEntry {
  Colour colour;
  std::string text;
};

std::vector<LegendEntry> legend_of(const Census& census) {
  std::vector<LegendEntry> entries;
  const auto add = [&](const Colour& colour, const char* name, int64_t count) {
    if (count > 0) entries.push_back({colour, fmt::format("{} ({})", name, count)});
  };
  add(kNanColour, "NaN", census.nans);
  add(kInfinityColour, "+\u221e", census.infinite);
  add(kMinusInfinityColour, "\u2212\u221e", census.minus_infinite);
  return entries;
}

int64_t width_of(const LegendEntry& entry) {
  return kSwatch + 6 + text_width(entry.text, kTickSize) + 18;
}

}  // namespace

int widest(const Ticks& ticks) {
  int width = 0;
  for (const Tick& mark : ticks.marks) width = std::max(width, text_width(mark.label, kTickSize));
  return width;
}

int64_t title_width(const std::string& title) {
  return text_width(title, kTitleSize);
}

Frame::Frame(const Labels& labels, const Census& census, Ticks across, Ticks down, int64_t width,
             int64_t height, const Beside& beside)
    : labels_(labels),
      census_(census),
      across_(std::move(across)),
      down_(std::move(down)),
      width_(width),
      height_(height) {
  int64_t left = kEdge + kTickLength + kTickGap + widest(down_);
  const bool named = !labels.down.empty();
  if (named) left += kLabelSize + 10;
  const int64_t title = std::max(title_width(labels.title), labels.title_room);
  int64_t right = std::max(width + beside.width, title) + kEdge;
  notes_ = note_lines(std::max(kLeastRoom, right - kEdge));
  for (const std::string& line : notes_) {
    right = std::max<int64_t>(right, text_width(line, kNoteSize) + kEdge);
  }
  int64_t legend = 0;
  for (const LegendEntry& entry : legend_of(census)) legend += width_of(entry);
  right = std::max(right, legend);
  if (!across_.marks.empty()) {  // end labels extend beyond the data
    left = std::max<int64_t>(left, widest(across_) / 2 + 4);
    right = std::max<int64_t>(right, width + widest(across_) / 2 + kEdge);
  }
  right = std::max<int64_t>(
      right, (width + text_width(name_of(labels.across, across_), kLabelSize)) / 2 + kEdge);
  x_ = left;
  y_ = kEdge + kTitleSize + 8 + kLine * static_cast<int64_t>(notes_.size()) + 8;
  const int64_t upwards = text_width(name_of(labels.down, down_), kLabelSize);
  // Extra space if the data area is flat.
  const int64_t over =
      std::max({int64_t{0}, (upwards - height) / 2 - 20, (beside.height - height) / 2});
  y_ += over + beside.above;
  whole_width_ = left + right;
  const int64_t under = kTickLength + kTickGap + kTickSize + 8 + kLabelSize;
  whole_height_ = y_ + height + std::max(under, over) + kEdge;
  if (legend > 0) whole_height_ += kLegend;
}

std::vector<std::string> Frame::note_lines(int64_t room) const {
  std::vector<std::string> lines;
  for (const std::string& note : labels_.notes) {
    const std::string longer = lines.empty() ? "" : lines.back() + "  \u00b7  " + note;
    if (!lines.empty() && text_width(longer, kNoteSize) <= room) {
      lines.back() = longer;
    } else {
      lines.push_back(note);
    }
  }
  return lines;
}

Canvas Frame::draw(const std::function<int64_t(double)>& across_at,
                   const std::function<int64_t(double)>& down_at, bool grid) const {
  Canvas canvas(whole_width_, whole_height_, kPaper);
  canvas.text(x_ - 1, kEdge + kTitleSize - 3, labels_.title, kTitleSize, kInk);
  int64_t line = kEdge + kTitleSize + kLine + 1;
  for (const std::string& note : notes_) {
    canvas.text(x_ - 1, line, note, kNoteSize, kGrey);
    line += kLine;
  }
  const int64_t right = x_ + width_, bottom = y_ + height_;
  for (const Tick& mark : across_.marks) {
    const int64_t x = x_ + across_at(mark.value);
    if (grid) canvas.fill(x, y_, 1, height_, kGrid);
    canvas.fill(x, bottom + 1, 1, kTickLength, kInk);
    canvas.text(x, bottom + kTickLength + kTickGap + kTickSize - 2, mark.label, kTickSize, kInk,
                Align::Middle);
  }
  for (const Tick& mark : down_.marks) {
    const int64_t y = y_ + down_at(mark.value);
    if (grid) canvas.fill(x_, y, width_, 1, kGrid);
    canvas.fill(x_ - 1 - kTickLength, y, kTickLength, 1, kInk);
    canvas.text(x_ - 1 - kTickLength - kTickGap, y + 4, mark.label, kTickSize, kInk, Align::End);
  }
  canvas.frame(x_, y_, width_, height_, kInk);
  const int64_t below = bottom + kTickLength + kTickGap + kTickSize + 8 + kLabelSize - 3;
  canvas.text((x_ + right) / 2, below, name_of(labels_.across, across_), kLabelSize, kInk,
              Align::Middle);
  const int64_t beside = x_ - kTickLength - kTickGap - widest(down_) - 11;
  canvas.text_upwards(beside, (y_ + bottom) / 2, name_of(labels_.down, down_), kLabelSize, kInk);
  draw_legend(canvas);
  return canvas;
}

void Frame::draw_legend(Canvas& canvas) const {
  int64_t x = x_;
  const int64_t y = whole_height_ - kEdge - kSwatch + 2;
  for (const LegendEntry& entry : legend_of(census_)) {
    canvas.fill(x, y, kSwatch, kSwatch, entry.colour);
    canvas.text(x + kSwatch + 6, y + kSwatch - 2, entry.text, kTickSize, kInk);
    x += width_of(entry);
  }
}

}  // namespace stencil::runtime
