// Stencil programs written in C++.
//
//   using namespace stencil::dsl;
//   stencil::Builder b("jacobi2d");
//   const auto N = b.param("N", integer, 512);
//   const auto G = b.grid("G", {extent(N), extent(N)}, 100);
//   const auto A = b.field("A", real, G);
//   b.stencil("jacobi", A, {{1, N - 2}, {1, N - 2}},
//             0.25 * (A(-1, 0) + A(1, 0) + A(0, -1) + A(0, 1)));
//   const stencil::BuildResult built = b.finish();
//   if (!built) std::cerr << built.report();
//
// A builder collects declarations in call order; it runs nothing. The result is the program that
// the same declarations would give as text (docs/reference/language.md), checked by the same rules.
// docs/guide/builder.md is the guide and lists the differences between C++ and the text.
//
// Errors. No call aborts or throws, except std::bad_alloc. Builder::finish() reports all errors,
// each with the place of the faulty call in the C++ source.
//
// Lifetimes. Handles (expressions, fields, ...) are small values to be passed by copy. They may
// outlive their builder. Declarations added after finish() are part of the next finish().
//
// Threads. Use one builder and its handles from one thread at a time. Different builders are
// independent.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "stencil/boundary_rules.h"
#include "stencil/builder_blocks.h"
#include "stencil/builder_expressions.h"

namespace stencil::dsl {

// Everything below is exported from the shared library.
#pragma GCC visibility push(default)

// --- Names, ranges and regions ---------------------------------------------------------------

class Range;

// A local name: a coordinate of the point (in a box or an `init`), or the counter of a
// comprehension. Within its scope it is an integer.
class Index : public Expr {
 public:
  explicit Index(const std::string& name);
  Range in(const Expr& low, const Expr& high) const;  // NAME in low..high, both inclusive
  Range in(const Expr& point) const;                  // NAME in point, in a box

 private:
  friend struct Access;
  std::string name_;
};

// low..high, both inclusive, in grid points; or a single point. Braces also work: {1, N - 2}, {0}.
class Range {
 public:
  Range(const Expr& low, const Expr& high);
  template <typename T>
  requires std::convertible_to<const T&, Expr> Range(const T& point) : low_(point) {}
  // low..high by n: only low, low + n, ... Allowed for sub-grids and for regions of pieces and
  // reductions.
  Range by(const Expr& n) const;

 private:
  friend struct Access;
  friend class Index;
  std::optional<std::string> index_;
  Expr low_;
  std::optional<Expr> high_;
  std::optional<Expr> stride_;
};

// 0..n-1: a whole dimension of n points.
Range extent(const Expr& n);

// A box: one range per dimension, outermost first.
using Box = std::vector<Range>;

// Comprehensions: combine the body over all values of the ranges' indices; the last index varies
// fastest. With Index a("a"), b("b"):
//   sum({a.in(-1, 1), b.in(-1, 1)}, w(a + 1, b + 1) * A(a, b))
// Every range must come from Index::in(low, high) (P023).
Expr sum(const std::vector<Range>& ranges, const Expr& body);
Expr prod(const std::vector<Range>& ranges, const Expr& body);
Expr min(const std::vector<Range>& ranges, const Expr& body);
Expr max(const std::vector<Range>& ranges, const Expr& body);
Expr vector(const std::vector<Range>& ranges, const Expr& body);

// A grid, a sub-grid, or the domain of a set of points.
class Domain {
 private:
  friend struct Access;
  Domain(std::string name, std::uint64_t builder) : name_(std::move(name)), builder_(builder) {}
  std::string name_;
  std::uint64_t builder_;
};

// Where a piece or a reduction is evaluated: at all points of a grid, sub-grid or box, or only at
// those where a condition holds.
class Region {
 public:
  Region(const Domain& domain) : domain_(domain) {}
  // Names the coordinates of the domain's points, one index per dimension.
  Region(const Domain& domain, const std::vector<Index>& indices)
      : domain_(domain), indices_(indices) {}
  Region(std::initializer_list<Range> box) : box_(box) {}
  Region(const Box& box) : box_(box) {}
  Region where(const Expr& condition) const;

 private:
  friend struct Access;
  std::optional<Domain> domain_;
  std::vector<Index> indices_;
  Box box_;
  std::optional<Expr> where_;
};

// One value for all dimensions of the grid, or a list with one value per dimension, outermost
// first: dx or {dy, dx}.
class PerDimension {
 public:
  PerDimension() = default;  // the grid declares none
  template <typename T>
  requires std::convertible_to<const T&, Expr> PerDimension(const T& all) : values_{Expr(all)} {}
  PerDimension(std::initializer_list<Expr> values) : PerDimension(std::vector<Expr>(values)) {}
  PerDimension(const std::vector<Expr>& values) : list_(true), values_(values) {}

 private:
  friend struct Access;
  bool list_ = false;
  std::vector<Expr> values_;
};

struct GridOptions {
  std::optional<Expr> steps = {};   // absent: each run must be given the number of steps
  PerDimension origin = {};         // absent: 0
  PerDimension spacing = {};        // absent: 1
  std::optional<Expr> levels = {};  // absent: 1
  PerDimension by = {};             // the ratio from each level to the next; given with `levels`
  bool cells = false;               // the ratio is cell-centred, otherwise vertex-centred
};

// The ratio from a grid to a coarser one, whose points lie on points of the grid or cover its
// cells.
struct Coarsening {
  PerDimension by;
  bool cells = false;  // cell-centred, otherwise vertex-centred
};

// --- Types -----------------------------------------------------------------------------------

// A built-in scalar type. Calling it converts to it: real(x). The language has no conversion to the
// storage-only types (`half`, `bfloat`, `byte`, `ubyte`, `short`, `ushort`); storing converts.
struct ScalarType {
  const char* name;
  Expr operator()(const Expr& x) const;
};
inline constexpr ScalarType real{"real"};  // float, or double under --real double
inline constexpr ScalarType float_{"float"};
inline constexpr ScalarType double_{"double"};
inline constexpr ScalarType integer{"integer"};  // 32 bits
inline constexpr ScalarType long_{"long"};       // 64 bits
inline constexpr ScalarType half{"half"};
inline constexpr ScalarType bfloat{"bfloat"};
inline constexpr ScalarType byte{"byte"};  // 8 bits, signed; `ubyte` is unsigned
inline constexpr ScalarType ubyte{"ubyte"};
inline constexpr ScalarType short_{"short"};    // 16 bits, signed; `ushort` is unsigned
inline constexpr ScalarType ushort_{"ushort"};  // underscore: the C library has a `ushort`
inline constexpr ScalarType bool_{"bool"};

struct Member;

class Type {
 public:
  Type(ScalarType scalar);

 private:
  friend struct Access;
  explicit Type(std::shared_ptr<const detail::TypeNode> node) : node_(std::move(node)) {}
  std::shared_ptr<const detail::TypeNode> node_;
};

// { a : T, b : U }: structure({{"a", real}, {"b", vector(2, real)}}).
struct Member {
  std::string name;
  Type type;
};
Type structure(const std::vector<Member>& members);
// `vector length of element`; the length is a constant of the program.
Type vector(const Expr& length, const Type& element);

// --- Boundaries ------------------------------------------------------------------------------

// The rules of one dimension: one rule for both sides, or {low, high}.
struct Sides {
  template <std::convertible_to<Rule> T>
  Sides(const T& both) : low(both) {}
  Sides(const Rule& low_side, const Rule& high_side) : low(low_side), high(high_side) {}
  Rule low;
  std::optional<Rule> high;
};

// One rule for all edges, or a list with one entry per dimension, outermost first:
//   clamp        {periodic, clamp}        {{mirror, constant(1)}, clamp}
class Boundary {
 public:
  Boundary() = default;  // the field declares none
  template <std::convertible_to<Rule> T>
  Boundary(const T& all) : dimensions_{Sides(all)} {}
  Boundary(std::initializer_list<Sides> dimensions) : Boundary(std::vector<Sides>(dimensions)) {}
  Boundary(const std::vector<Sides>& dimensions) : list_(true), dimensions_(dimensions) {}

 private:
  friend struct Access;
  bool list_ = false;
  std::vector<Sides> dimensions_;
};

// --- Declared things -------------------------------------------------------------------------

struct FieldOptions {
  std::optional<Expr> history = {};  // number of time levels kept; absent: 1
  bool constant = false;             // read only
  Boundary boundary = {};
  PerDimension along = {};  // of a constant field: its dimensions; absent: those of the grid
};

// A field, or a function argument that stands for a field. A(-1, 0) reads it at an offset. Pass the
// plain name to functions.
class Field : public Expr {
 public:
  // Refers to a field that a later reduce_over() creates, for use with at(-1).
  explicit Field(const std::string& name) : Field(name, 0) {}

  // U@-k: the level k steps back, written at(-k) with k >= 0 (P024). at(-1)(0, 0) reads it.
  Expr at(int steps) const;

 private:
  friend struct Access;
  friend class Builder;
  friend class FieldArgument;
  Field(const std::string& name, std::uint64_t builder);
  std::string name_;
  std::uint64_t builder_;
};

// A field on another level of a grid with levels. fine(u)(0, 0) reads it, and functions take it as
// an argument.
class LevelField : public Expr {
 public:
  // fine U@-k: the value k steps back, written at(-k) with k >= 0 (P024).
  Expr at(int steps) const;

 private:
  friend struct Access;
  LevelField(const Expr& expr, const Expr& field, std::string name, int towards)
      : Expr(expr), field_(field), name_(std::move(name)), towards_(towards) {}
  Expr field_;
  std::string name_;
  int towards_;
};
// fine U, coarse U: the field on the next finer or coarser level.
LevelField fine(const Field& field);
LevelField coarse(const Field& field);

struct SeriesOptions {
  std::optional<Domain> domain = {};  // absent: one value per step for the whole grid
  PerDimension along = {};
  Boundary boundary = {};
};

// A set of points. `domain` is the domain of fields that live on the points; `places` holds their
// coordinates, set by init. In an expression over the grid, `places` reads as the interpolation
// weight of the points at the current grid point. Fields on points are read by their plain names,
// and series on points as w(step_index()).
struct Points {
  Domain domain;
  Field places;
};

// Arguments of a function of the language: a field, or a value of any type.
class FieldArgument : public Field {
 public:
  explicit FieldArgument(const std::string& name) : Field(name, 0) {}
};
class ValueArgument : public Expr {
 public:
  explicit ValueArgument(const std::string& name);

 private:
  friend struct Access;
  std::string name_;
};
class Argument {
 public:
  Argument(const FieldArgument& argument);
  Argument(const ValueArgument& argument);

 private:
  friend struct Access;
  std::string name_;
  bool is_field_;
};

// A function of the language, expanded wherever it is called. A C++ function that returns an Expr
// works as well, but only a Function appears in the program under its name.
class Function {
 public:
  // Calls the function. Arguments are expressions, or names of fields or of their levels. If an
  // argument is a field, the call can be shifted: lap(U)(0, 1).
  template <typename... Arguments>
  requires(std::convertible_to<const Arguments&, Expr>&&...) Expr operator()(
      const Arguments&... arguments) const {
    return call({Expr(arguments)...});
  }
  Expr call(const std::vector<Expr>& arguments) const;

  // Defines a local value of the body.
  Expr let(const std::string& name, const Expr& value, Place place = Place::current()) const;
  // Sets the value of the function; must be called exactly once (P023).
  void value(const Expr& value, Place place = Place::current()) const;

 private:
  friend class Builder;
  Function(std::shared_ptr<detail::State> state, std::size_t item, std::string name)
      : state_(std::move(state)), item_(item), name_(std::move(name)) {}
  std::shared_ptr<detail::State> state_;
  std::size_t item_;
  std::string name_;
};

// The target of a stencil function: a field, or a member of a structure, Target(S).member("v").
class Target {
 public:
  Target(const Field& field);
  Target member(const std::string& name) const;

 private:
  friend struct Access;
  std::string field_;
  std::uint64_t builder_;
  std::vector<std::string> members_;
};

// A stencil function: local values and pieces. All pieces read the same state of the fields.
class Stencil {
 public:
  Expr let(const std::string& name, const Expr& value, Place place = Place::current()) const;
  // region = value;  At least one piece is required (P023).
  const Stencil& piece(const Region& region, const Expr& value,
                       Place place = Place::current()) const;
  // every n: the function runs only in steps 0, n, 2n, ... May be called once (P023).
  const Stencil& every(const Expr& n, Place place = Place::current()) const;
  // else = value;  at all points of the field that no piece writes. `indices` names the coordinates
  // of the point: one per dimension, or empty.
  const Stencil& otherwise(const Expr& value, const std::vector<Index>& indices = {},
                           Place place = Place::current()) const;

 private:
  friend struct Access;
  friend class Builder;
  Stencil(std::shared_ptr<detail::State> state, std::size_t item)
      : state_(std::move(state)), item_(item) {}
  std::shared_ptr<detail::State> state_;
  std::size_t item_;
};

enum class Reducer { sum, prod, min, max };

// The value of a reduction. Usable in stop() and in the stencil functions and reductions declared
// after it.
class Reduction : public Expr {
 public:
  // Refers to a reduction that is declared later, for use with before().
  explicit Reduction(const std::string& name);

  // NAME@-1: the value from the previous step; in the first step, the initial value.
  Expr before() const;

 private:
  friend struct Access;
  friend class Builder;
  Reduction(const std::string& name, std::uint64_t builder);
  std::string name_;
  std::uint64_t builder_;  // 0: no builder
};

struct ReduceOptions {
  std::optional<Expr> every = {};    // absent: 1
  std::optional<Expr> initial = {};  // before() in the first step; absent: not used
  Boundary boundary = {};            // of the field of reduce_over(), which takes no `initial`
};

// --- Results ---------------------------------------------------------------------------------

// A finished program: its name and text.
class BuiltProgram {
 public:
  const std::string& name() const;
  // The program as text of the language. Saved as a .stn file, it means the same program.
  const std::string& text() const;

 private:
  friend struct Access;
  explicit BuiltProgram(std::shared_ptr<const detail::Built> built) : built_(std::move(built)) {}
  std::shared_ptr<const detail::Built> built_;
};

struct BuildMessage {
  bool is_error = true;    // otherwise a warning
  std::string code;        // "S031": docs/reference/errors.md
  std::string message;     // lower-case start, no final full stop
  std::string hint;        // may be empty
  std::string file;        // C++ source file; "" if the message concerns no single place
  std::uint32_t line = 0;  // in `file`, from 1
  std::string text;        // the full message as users see it, with the line of program text
};

struct BuildResult {
  std::optional<BuiltProgram> program;  // absent if there are errors
  std::vector<BuildMessage> messages;   // errors and warnings

  bool ok() const { return program.has_value(); }
  explicit operator bool() const { return ok(); }
  std::string report() const;  // the texts of all messages; "" if there are none
};

struct FinishOptions {
  // Run semantic analysis (S-codes): names, types, shapes, bounds. If false, finish() reports only
  // errors that no values of params can fix. Compiling the program analyses it in any case.
  bool analyse = true;
  // -D: values of params for the analysis, in the syntax of the language.
  std::map<std::string, std::string> definitions = {};
};

// --- The builder -----------------------------------------------------------------------------

// The comment above each function shows the text that it stands for. Names must be valid in the
// language (P021, P007). The last argument of every call is its place in the C++ source; leave it
// at the default.
class Builder {
 public:
  // `name` is the program's name. It must be a C identifier, because emitted functions begin with
  // it (P021).
  explicit Builder(const std::string& name = "program", Place place = Place::current());
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  // param NAME : type = value;  A param without a value must get one before the run or when it
  // starts.
  Expr param(const std::string& name, const Type& type, const std::optional<Expr>& value = {},
             Place place = Place::current());
  // param() with the type deduced: `integer`, or `real` for floating point.
  template <LiteralNumber T>
  requires(!std::is_same_v<T, bool>) Expr
      param(const std::string& name, T value, Place place = Place::current()) {
    return param(name, std::is_integral_v<T> ? integer : real, Expr(value), place);
  }

  // grid NAME = [box] steps n;  A program has exactly one grid with a box. Without steps, each run
  // must specify the number of steps.
  Domain grid(const std::string& name, const Box& box, const std::optional<Expr>& steps = {},
              Place place = Place::current());
  // grid NAME = [box] levels l by r steps n origin [...] spacing [...];
  Domain grid(const std::string& name, const Box& box, const GridOptions& options,
              Place place = Place::current());
  // grid NAME of parent by r cells;  For example b.grid("C", F, {.by = 2}).
  Domain grid(const std::string& name, const Domain& parent, const Coarsening& ratio,
              Place place = Place::current());
  // subgrid NAME of parent = [box];
  Domain subgrid(const std::string& name, const Domain& parent, const Box& box,
                 Place place = Place::current());
  // type NAME = type;
  Type type(const std::string& name, const Type& type, Place place = Place::current());
  // field NAME : type on domain history h constant boundary ...;
  Field field(const std::string& name, const Type& type, const Domain& domain,
              const FieldOptions& options = {}, Place place = Place::current());
  // series NAME : type [times] on domain along ... boundary ...;  w(step_index() - 1) reads it.
  Field series(const std::string& name, const Type& type, const Range& times,
               const SeriesOptions& options = {}, Place place = Place::current());
  // points NAME [numbers] on domain weights n;
  Points points(const std::string& name, const Range& numbers, const Domain& domain,
                const std::optional<Expr>& weights = {}, Place place = Place::current());
  // table NAME : type[extents] = value;  Rows are values({...}) of values({...}).
  Expr table(const std::string& name, const Type& type, const std::vector<Expr>& extents,
             const Expr& value, Place place = Place::current());

  // function NAME(arguments) = value;
  Function function(const std::string& name, const std::vector<Argument>& arguments,
                    const Expr& value, Place place = Place::current());
  // function NAME(arguments) { let ...; = value; } Function::let and Function::value add the body.
  Function function(const std::string& name, const std::vector<Argument>& arguments,
                    Place place = Place::current());
  // stencil NAME : target on region = value;
  Stencil stencil(const std::string& name, const Field& target, const Region& region,
                  const Expr& value, Place place = Place::current());
  // stencil NAME : target { ... } Stencil::let and Stencil::piece add the body.
  Stencil stencil(const std::string& name, const Field& target, Place place = Place::current());
  // stencil NAME : targets ...;  Values are records with one entry per target.
  Stencil stencil(const std::string& name, const std::vector<Target>& targets, const Region& region,
                  const Expr& value, Place place = Place::current());
  Stencil stencil(const std::string& name, const std::vector<Target>& targets,
                  Place place = Place::current());
  // repeat count { ... }: the stencil functions that `body` adds run `count` times per step.
  void repeat(const Expr& count, const std::function<void()>& body, Place place = Place::current());
  // cycle NAME { ... } Cycle::body adds the statements. A cycle may apply itself and cycles that
  // are declared later.
  Cycle cycle(const std::string& name, Place place = Place::current());
  Cycle cycle(const std::string& name, const Block& body, Place place = Place::current());
  // step { ... }: what a step applies, instead of the stencil functions in their order.
  void step(const Block& body, Place place = Place::current());
  // start { ... }: applied once, before the first step.
  void start(const Block& body, Place place = Place::current());
  // init target[indices] = value;
  void init(const Field& target, const std::vector<Index>& indices, const Expr& value,
            Place place = Place::current());
  void init(const Field& target, const Expr& value, Place place = Place::current());
  // reduce NAME = reducer(value) on region every n;  Returns a handle to the value.
  Reduction reduce(const std::string& name, Reducer reducer, const Expr& value,
                   const Region& region, const std::optional<Expr>& every = {},
                   Place place = Place::current());
  // reduce NAME = reducer(value) on region every n initial value;
  Reduction reduce(const std::string& name, Reducer reducer, const Expr& value,
                   const Region& region, const ReduceOptions& options,
                   Place place = Place::current());
  // reduce NAME = reducer(value) over dimensions on region every n boundary ...; The resulting
  // field has the remaining dimensions. density(0) reads it; density.at(-1)(0) reads its value of
  // the previous step.
  Field reduce_over(const std::string& name, const PerDimension& dimensions, Reducer reducer,
                    const Expr& value, const Region& region, const ReduceOptions& options = {},
                    Place place = Place::current());
  // record NAME [rows] = value at points every n;  Each evaluation adds a row of values, one per
  // point.
  void record(const std::string& name, const Range& rows, const Expr& value, const Points& points,
              const std::optional<Expr>& every = {}, Place place = Place::current());
  // stop when condition;
  void stop(const Expr& condition, Place place = Place::current());
  // require condition;
  void require(const Expr& condition, Place place = Place::current());

  // Returns the program of all calls so far, or its errors. Misuse of the builder (P020 to P025) is
  // reported first; otherwise the errors of parsing and semantic analysis. May be called again.
  BuildResult finish(const FinishOptions& options = {}) const;

 private:
  std::shared_ptr<detail::State> state_;
};

#pragma GCC visibility pop

}  // namespace stencil::dsl

namespace stencil {
using dsl::Builder;
using dsl::BuildMessage;
using dsl::BuildResult;
using dsl::BuiltProgram;
}  // namespace stencil
