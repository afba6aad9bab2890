// The generator's files share one object, a program under construction. Each member function is
// defined in the file named above it. All return program text.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/boundaries.h"
#include "tests/property/forms.h"
#include "tests/property/generator.h"
#include "tests/property/random.h"
#include "tests/property/types.h"

namespace stencil::property {

using Offset = std::vector<int>;  // per dimension

// Distances that a region or access keeps from the low and high edges of the grid, per dimension.
struct Margin {
  std::vector<int> low, high;
  explicit Margin(int rank) : low(static_cast<size_t>(rank)), high(static_cast<size_t>(rank)) {}
  void enclose(const Margin& other);  // takes the larger one on every side
};

struct SubGrid {
  std::string name, parent;
  Margin margin;
  std::string strides = {};  // after each of its ranges
};

struct Field {
  std::string name;
  Type type;
  Boundary boundary;
  std::string domain = "G";
  Margin margin;  // of its domain
  bool constant = false;
  int history = 1;
};

// A field along some dimensions, a series, or both.
struct Profile {
  std::string name;
  std::string text = {};             // its declaration
  Boundary boundary = {};            // for the grid dimensions that it has
  std::vector<int> dimensions = {};  // these dimensions, preceded by -1 for steps
  std::string selects = {};          // follows an access if its value is a vector
};

// A user function of a field: its reach, and how it is called.
struct Function {
  std::string name;
  std::vector<Offset> reads = {};
  bool takes_value = false;  // has a second argument
  std::string selects = {};  // follows the call if its value is a vector
};

// A local value of a stencil function.
struct Let {
  std::string name, component;  // the component to use; "" for a scalar
  Margin reach;                 // of its accesses
};

// A target of a stencil function: a field or a member.
struct Part {
  std::string target;   // as in the head of the function
  std::string present;  // its current value at the point
  Type type;
  std::string name() const;  // name of its entry in a value
};

// The context of an expression.
struct Site {
  Margin reach;               // reach of its accesses, which the region must keep
  bool names_allowed = true;  // whether index names may be used
  bool lets_allowed = false;
  std::set<int> names;           // dimensions whose index name is used
  std::vector<int> least, most;  // permitted offsets per dimension
  explicit Site(int rank);
};

class Generator {
 public:
  Generator(uint64_t seed, const Choices& choices) : random_(seed), choices_(choices) {}
  GeneratedProgram run();

 private:
  size_t rank() const { return static_cast<size_t>(out_.rank); }
  void covers(const std::string& construct) { out_.constructs.insert(construct); }

  // fields.cpp
  void make_sub_grids();
  void make_fields();
  std::vector<const Field*> targets() const;
  Field random_field(const std::string& name);
  void note_constructs(const Field& field);
  std::string declarations() const;

  // regions.cpp
  std::string box_of(const Margin& margin, const std::string& strides = "") const;
  std::string stride(const std::string& range);
  std::string above_first(size_t d, int low) const;
  std::string below_last(size_t d, int high) const;
  std::string range(size_t d, int low, int high);
  std::string half(size_t d, int low, int high);
  bool has_fixed_edges() const;
  std::string random_range(size_t d, const Margin& reach);
  std::string region(const Site& site, const std::vector<std::string>& fixed = {});
  std::string named_region(const Margin& reach);
  std::string derived_params();
  void choose_sizes();

  // stencils.cpp
  std::string make_stencil(int number);
  std::string make_stencils(int count);
  void choose_repeat(int functions);
  Field target_of(const Field& first);
  Part part_of(const Field& field);
  static std::string kept(const Part& part);
  std::string make_boundary_function(const Field& target);
  std::string make_pieces(const Field& target);
  Site site_of(const Field& target) const;
  std::string every();
  std::string with_lets(const std::string& pieces);
  std::string where(Site& site);
  std::string otherwise();
  std::string index_list(const Site& site);
  std::string stored(const Type& type, Site& site);
  std::string stored_whole(const Type& type, Site& site);
  std::string stored_vector(const Type& type, Site& site);

  // expressions.cpp: `depth` is the nesting depth within a value
  std::string pick_form(const std::vector<Form>& forms, Site& site, int depth);
  std::string filled(const std::string& form, Site& site, int depth);
  std::string hole(char kind, Site& site, int depth);
  std::string floating(Site& site, int depth);
  std::string floating_access(Site& site);
  std::string index_name(Site& site);
  std::string congruence(Site& site);
  std::string integer_value(Number number, Site& site);
  std::string integer(Site& site);

  // values.cpp: values of floating-point scalars
  std::string floating_value(Site& site);
  std::string linear_value(Site& site);
  std::string exact_choice(Site& site);
  std::string divisor(int terms);

  // comprehensions.cpp: "" if not permitted
  std::string comprehension(Site& site);
  std::string nested_comprehension(Site& site);
  std::string table_sum(Site& site);

  // functions.cpp: user functions, local values, tables
  std::string make_functions();
  std::string let(Site& site, int depth);
  std::string call(Site& site, int depth);

  // accesses.cpp
  struct Operand {
    const Field* field;
    Component component;
  };
  using Kind = bool (*)(Number);
  std::optional<Operand> random_operand(Kind kind);
  Offset random_offset(const Site& site);
  std::optional<std::string> varying_access(const Field& field, Site& site);
  void make_huge(const Field& field, const Site& site, Offset& offset);
  void note(const Field& field, const Offset& offset, Site& site);
  static bool allows(const Site& site, const Offset& offset);
  std::string random_level(const Field& field);
  std::string access(const Field& field, Site& site);
  std::string access(Kind kind, Site& site);  // "" if there is no such field
  std::string axis_text(size_t axis, const std::string& offset) const;
  Offset axis_offset(size_t axis, int offset) const;

  // profiles.cpp: fields along some dimensions, and series; "" if not possible
  const Profile& profile(bool steps);
  const Profile& series(bool integers);
  std::string profile_read(Site& site);
  std::string series_read(bool integers);
  std::string steps_of_series();
  std::string step();

  // points.cpp
  const std::string& point_set();
  std::string points_read();
  std::string make_records();

  // coordinates.cpp
  std::string grid_attributes();
  std::string per_dimension(const std::vector<std::string>& choices);
  std::string position(Site& site);  // "" if no index can be named there
  std::string dimension(Site& site);

  // reductions.cpp
  std::string make_reductions();
  std::string reduced_value(const std::string& reducer, Site& site);
  void choose_statistics(int functions);
  std::string make_statistics(int functions);  // those placed after this many functions
  std::string statistic_read(Site& site);      // "" if there is none
  std::vector<int> random_profile();           // dimensions that are kept; none: all are reduced
  std::string over(const std::vector<int>& kept);
  std::string reduced_region(const Site& site, const std::vector<int>& kept);
  std::string profile_rule();

  Random random_;
  Choices choices_;
  GeneratedProgram out_;
  bool exact_ = false, plain_ = false, tiny_ = false;
  int bits_per_step_ = 0;  // growth of an exact program's values
  std::vector<SubGrid> sub_grids_;
  std::vector<Field> fields_;
  std::vector<Profile> profiles_, series_, integer_series_;
  std::vector<std::string> point_sets_, series_at_points_, values_at_points_;
  std::string point_text_;  // their declarations
  struct Statistic {        // a reduction that the step may read
    std::string name;
    int place;
    std::vector<int> kept = {};  // dimensions of its profile
    bool made = false;
  };
  std::vector<Statistic> statistics_;
  bool in_statistic_ = false;
  std::vector<std::string> types_;  // declarations
  std::vector<Function> functions_;
  bool has_tables_ = false;
  bool has_place_ = false;   // a function that takes a position exists
  std::vector<int> needed_;  // least extent per dimension
  std::vector<int> first_;   // coordinates of the grid's first point
  struct Range {             // low .. N - 1 - high
    size_t dimension;
    int low, high;
  };
  std::vector<Range> ranges_;  // of all regions
  std::vector<Let> lets_;      // of the current stencil function
  std::vector<std::string> let_texts_;
  std::vector<Part> parts_;  // of the current stencil function
  std::string last_target_;
  std::set<std::string> written_;  // names of the fields that some function writes
  struct Repeat {                  // functions first..last; none if last < first
    int first = 0, last = -1, iterations = 1;
    bool holds(int function) const { return first <= function && function <= last; }
    // Whether a reduction before function number `place` would lie inside the repeat.
    bool is_inside(int place) const { return first < place && place <= last; }
  };
  Repeat repeat_, inner_repeat_;  // the inner one lies in the other
  bool in_repeat_ = false;
};

std::string size_name(size_t d);
std::string list(const std::vector<std::string>& texts);  // with commas
std::string list(const Offset& offset);

}  // namespace stencil::property
