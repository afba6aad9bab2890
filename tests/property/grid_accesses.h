// Accesses of random programs on several grids: which of them are valid at the points of a region.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/boundaries.h"
#include "tests/property/grids.h"
#include "tests/property/random.h"

namespace stencil::property::several {

using Offset = std::vector<int>;

// A grid or a sub-grid: all points but some at the edges.
struct Place {
  std::string name;
  int grid;
  std::vector<int> low, high;  // points left out, per dimension
};

enum class Value { Real, Integer, Vector };

struct Field {
  std::string name, type;
  Value value;
  int place;
  Boundary boundary;
  int history = 1;
  bool constant = false;
};

// The range of a region in a dimension, relative to the grid's first and last index.
struct Span {
  enum Form { Whole, AtFirst, AtLast, LowerHalf, UpperHalf } form = Whole;
  int low = 0, high = 0;  // points left out
  int stride = 1;
};
using Region = std::vector<Span>;  // per dimension

// Draws accesses at the points of a region. A field without a rule is read only where the index
// stays inside: for the sizes drawn, so that a check is needed if sizes are open, or for all larger
// sizes.
class Accesses {
 public:
  using Accept = std::function<bool(const Field&)>;

  explicit Accesses(uint64_t seed);

 protected:
  size_t rank() const { return static_cast<size_t>(grids_.rank()); }
  void covers(const std::string& construct) { constructs_.insert("several grids: " + construct); }

  Bounds bounds(const Place& place, size_t d, int64_t size) const;
  Bounds bounds(const Span& span, size_t d, int64_t size) const;  // on the grid of the function
  int64_t extent(const Place& place, size_t d) const;

  const Field* random_field(const Accept& accept);
  // The following functions return "" if no access was found.
  std::string access(const Accept& accept);
  std::string comprehension();  // a sum over neighbours whose offsets follow an index
  std::string varying();        // an offset that varies from point to point
  // A function of a field of any grid, at an offset that counts points of this grid.
  std::string call();
  std::string make_functions();

  Random random_;
  Grids grids_;
  std::vector<Place> places_;  // the grids first
  std::vector<Field> fields_;
  std::set<std::string> constructs_;
  // The function or reduction that is drawn.
  int grid_ = 0;
  const Region* region_ = nullptr;
  bool has_names_ = false;  // i0, i1, ... are the indices of the point

 private:
  // How far an access leaves the field below and above, and whether it may read the edge points.
  struct Reach {
    int64_t below = 0, above = 0;
    bool touches_low = false, touches_high = false;
  };
  // `larger`: at most, for all larger sizes, not only those drawn.
  Reach reach(const Field& field, int offset, size_t d, bool larger) const;
  bool allows(const Field& field, const Offset& offset);
  Offset random_offset(const Field& field);
  void note_access(const Field& field);
  std::string level_of(const Field& field);

  std::vector<std::pair<std::string, std::vector<Offset>>> functions_;
};

}  // namespace stencil::property::several
