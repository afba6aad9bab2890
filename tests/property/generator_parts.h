// The generator's parts share one object: a program in the making.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/generator.h"
#include "tests/property/random.h"

namespace stencil::property {

enum class Element { Real, Integer, Vector };

struct Field {
  std::string name;
  Element element = Element::Real;
  std::string boundary;  // "" for none
  bool constant = false;
  bool inner = false;  // on a sub-grid that leaves out the points at the edges
  int history = 1;
};

// How far the accesses of a piece reach below and above the point, per dimension, on fields without
// a boundary.
struct Reach {
  std::vector<int> low, high;
  explicit Reach(int rank) : low(static_cast<size_t>(rank)), high(static_cast<size_t>(rank)) {}
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  GeneratedProgram run();

 private:
  int rank() const { return out_.rank; }
  void covers(const std::string& construct) { out_.constructs.insert(construct); }
  static std::string size_name(size_t d) { return fmt::format("N{}", d); }

  // generator.cpp
  // function lap(u : field) = ...: a sum over neighbours along one random axis.
  std::string make_function();

  // fields.cpp
  void make_fields();
  std::string random_boundary();
  std::string declare(const Field& field) const;

  // regions.cpp
  std::string full_box() const;
  std::string inner_box() const;
  // How far the target's domain keeps from the grid's edges.
  Reach edge_of(const Field& target) const;
  std::string range(size_t d, const Reach& reach);
  std::string region(const Reach& reach, bool index_names);
  // Sizes: at least what the regions need; often exactly that, or near the multiples of small
  // tiles. Half of the rows are of a length that bulk copies can take.
  void choose_sizes();

  // stencils.cpp
  std::string make_stencil(int number);
  // Three pieces along one dimension: a lower edge, the middle, an upper edge.
  std::string make_pieces(const Field& target);
  std::string close_pieces(std::string out);
  std::string target_value(const Field& target, Reach& reach);

  // expressions.cpp
  std::string real_value(Reach& reach);
  // Of a magnitude of at least `terms`; odd, even, negative, no integer, a power of two.
  std::string divisor(int terms);
  std::string real_term(Reach& reach, int depth);
  std::string index_name();
  std::string comprehension(Reach& reach);
  std::string lap(Reach& reach);
  const Field* real_field();
  std::vector<int> random_offset();
  void note(const Field& field, const std::vector<int>& offset, Reach& reach);
  std::string access(const Field& field, Reach& reach);
  std::string real_access(Reach& reach);
  std::string integer_value(Reach& reach);
  std::string integer_term(Reach& reach);

  // reductions.cpp
  // One or two reductions, of values around one per point, and perhaps a condition that some of the
  // runs meet.
  std::string make_reductions();
  std::string reduced_value(const std::string& reducer, Reach& reach);

  Random random_;
  GeneratedProgram out_;
  std::vector<Field> fields_;
  std::vector<int> needed_;  // least extent per dimension
  std::vector<std::string> lets_;
  std::set<int> uses_index_;
  bool allow_lets_ = true;
  bool allow_index_ = true;
  int lap_axis_ = 0, lap_radius_ = 0;
  int first_end_ = 0, middle_begin_ = 0, middle_high_ = 0;
};

}  // namespace stencil::property
