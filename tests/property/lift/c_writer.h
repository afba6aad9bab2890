// The implementation of write_c: arrays, loop nests and steps.
#pragma once

#include <optional>
#include <set>

#include "tests/property/lift/c_program.h"
#include "tests/property/lift/c_values.h"

namespace stencil::property {

class CWriter {
 public:
  CWriter(const ir::Program& program, const CStyle& style, const std::vector<int64_t>& integers,
          int64_t steps, uint64_t seed)
      : program_(program), style_(style), integers_(integers), steps_(steps), random_(seed) {}
  CProgram run();

 private:
  // The state of a field while a step is written.
  struct FieldState {
    bool written = false;  // by a function of the program
    bool moves = false;    // its first writer in a step begins a new level
    bool oldest = false;   // the new level overwrites the oldest one
    int buffers = 1;
    bool advanced = false;  // already written in this step
  };
  // The destination of a loop nest: a buffer of a field, or a temporary array.
  struct Target {
    ir::FieldId field = 0;
    int component = 0;
    Scalar type = Scalar::F32;
    int buffer = 0;      // of the field
    int temporary = -1;  // number of the temporary array; -1: none
  };

  // c_arrays.cpp
  void check();
  void make_arrays();
  bool can_replace_oldest(ir::FieldId field) const;
  void make_field(ir::FieldId field);
  int add_array(const std::string& name, ir::FieldId field, Scalar type, bool constant, int copies,
                int components);
  int temporary(ir::FieldId field, int component);
  std::string length(ir::FieldId field, size_t d) const;
  int64_t extent(ir::FieldId field, size_t d) const;
  int64_t value(const ir::Affine& affine) const;
  std::string print(const ir::Affine& affine) const;
  std::string parameters() const;
  std::string declared(const CArray& array) const;
  std::string element(const CArray& array, const std::vector<std::string>& subscripts) const;
  std::string element_of(ir::FieldId field, int component, int buffer,
                         const std::vector<std::string>& subscripts) const;
  std::string pointer_to(const CArray& array, const std::string& name) const;

  // c_nests.cpp
  std::string counter(size_t d) const { return std::string(1, "ijkl"[d]); }
  std::string at(size_t d, const ir::Affine& offset) const;  // a counter and an offset
  std::string coordinate(size_t d, const ir::Affine& less) const;
  std::string guarded(const ir::Access& access, const ir::Node& node, const ir::Box& region);
  std::string edge(const ir::Boundary& rules, const std::string& x, ir::FieldId field, size_t d,
                   const ir::Access& access, int64_t least, int64_t most);
  std::string leaf(const ir::Node& node, const ir::Box& region);
  std::vector<std::string> own_point(ir::FieldId field) const;
  std::string stored(const Target& target) const;
  std::string piece(const ir::Piece& piece, const std::vector<Target>& targets,
                    const std::string& pad);
  std::string nest(const ir::Box& box, const std::string& body);
  std::string condition(const ir::Box& whole, const ir::Box& part) const;
  std::string copy(const ir::Box& box, const std::vector<std::pair<Target, Target>>& pairs);

  // c_program.cpp
  bool reads_beside(const ir::Function& function) const;
  std::string function(const ir::Function& function);
  std::string step();
  void append(const ir::Sequence& sequence, std::string& out);
  std::string turns();
  std::string turn(ir::FieldId field);
  std::string time_loop(const std::string& body) const;
  std::string helpers() const;
  int buffer_of(ir::FieldId field, int level) const;
  std::string time_text() const { return style_.time == 2 ? "(t - 1)" : "t"; }

  const ir::Program& program_;
  CStyle style_;
  const std::vector<int64_t>& integers_;
  const int64_t steps_;
  Random random_;
  CProgram out_;
  std::vector<FieldState> states_;
  std::vector<std::string> names_;  // of params
  mutable std::set<int> used_;      // params
  std::map<std::pair<int, int>, int> temporaries_;
  ir::Box home_;  // counters start at its low corner, if shifted
};

}  // namespace stencil::property
