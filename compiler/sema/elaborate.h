// Elaborates expressions: turns syntax into values and builds the graph of a piece.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/sema/arithmetic.h"
#include "compiler/sema/coordinates.h"
#include "compiler/sema/environment.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {

// The kind of place where an expression stands. It decides what the expression may use.
struct Site {
  const char* what;     // noun for messages
  bool fields = false;  // the expression may read fields
  bool time = false;
  bool run_time_params = true;  // the expression may read open and float params, as ParamRef
  bool reductions = false;
  bool coordinates = true;      // position, origin, spacing
  bool initial_values = false;  // initial values of fields with an earlier init
  bool in_double = false;       // `real` is double, and float params are read as doubles
  bool edges_stored = false;    // the step has stored the values of fixed edge points
};

inline constexpr Site kStencilSite{"a stencil expression", true, true, true, true};
inline constexpr Site kBoundarySite{"a boundary", true, true};
inline constexpr Site kReduceSite{"a reduction", true, true, true, true};
inline constexpr Site kRecordSite{
    .what = "a record", .fields = true, .time = true, .reductions = true, .edges_stored = true};
inline constexpr Site kInitSite{.what = "an initial value", .initial_values = true};
inline constexpr Site kInitialSite{"the initial value of a reduction"};
inline constexpr Site kStopSite{"a stop condition", false, true, true, true};
inline constexpr Site kRequireSite{"a requirement"};
inline constexpr Site kDefaultSite{
    .what = "the value of a param", .coordinates = false, .in_double = true};
inline constexpr Site kConstantSite{"a constant expression", false, false, false, false, false};
inline constexpr Site kCoordinateSite{"a coordinate of the grid", false, false, true, false, false};

constexpr int kMaxGraphNodes = 200'000;   // per piece
constexpr int kMaxVisits = 4'000'000;     // expressions visited per piece, after unrolling
constexpr int kMaxDepth = 4'000;          // nesting of expressions, counted after inlining
constexpr size_t kMaxApplications = 256;  // nesting of function applications
constexpr int kMaxOffset = 1 << 20;

// The type of a real number that is not stored in a field and whose context determines no type. If
// all floating-point fields are computed in double, this is double; otherwise it is `real`.
Scalar natural_real(const Environment& env);

class Elaborator {
 public:
  // `prover`: proves that accesses stay in bounds for the region. May be null if the site allows no
  // fields.
  Elaborator(Environment& env, const Site& site, ir::Graph& graph, AccessProver* prover = nullptr);

  // Returns the value of `expr`. `expected`: the type of the place where the value is stored.
  // Aggregates and weak values use it. May be null.
  Value elaborate(const ast::Expr& expr, const Type* expected = nullptr);

  // From now on, real numbers are computed in the type of the target if their context determines no
  // type.
  void store_in(const Type& type);
  // The targets of the value have errors, so the shape of the value is unknown. Errors in the names
  // and shapes of aggregates are then not reported.
  void store_in_unknown() { targets_unknown_ = true; }

  // Returns an integer that must be known at compile time. S010, S020.
  std::optional<int64_t> constant_integer(const ast::Expr& expr, const char* what);

  void bind_index(const std::string& name, int dimension);
  // From now on, indices count the dimensions of `field`, which may have fewer dimensions than the
  // grid.
  void at_points_of(const ir::Field& field) { field_ = &field; }
  void bind_value(const std::string& name, Value value);
  // Evaluates the lets in order and binds them.
  void bind_lets(const std::vector<const ast::Let*>& lets);

  // The condition that the coordinate of the point in the given dimension is low, low + stride, ...
  Value on_stride(int dimension, const ir::Affine& low, int64_t stride, Span span);

  // The condition that the number of the current step is 0, interval, 2 * interval, ...
  Value in_step_of(int64_t interval, Span span);

  // The newest level of a field at the point, before the function runs.
  Value at_point(ir::FieldId field, Span span);

  // The value of a boundary rule of the field, one node per component. nullopt after an error.
  std::optional<std::vector<ir::NodeId>> rule_value(const ast::Expr& expr, ir::FieldId field);
  // Whether the fixed edges of the field can be stored at the points of the region. False after an
  // error.
  bool edges_allow(ir::FieldId field, Span span);

  Arithmetic& arithmetic() { return arithmetic_; }

 private:
  struct FieldBinding {  // a field at a level: U, U@-1, or an argument that is bound to either
    ir::FieldId field;
    int level;
  };
  struct IndexBinding {
    int dimension;
  };
  using Binding = std::variant<Value, FieldBinding, IndexBinding>;
  struct Frame {  // local names; the frame of an inlined function has no parent
    const Frame* parent = nullptr;
    std::unordered_map<std::string, Binding> names;
  };
  struct FieldUse {  // a name or level in a position where a field may stand
    bool is_field = false;
    bool ok = false;  // false although is_field: an error has been reported
    FieldBinding field{};
  };
  struct Visitor;

  const Binding* find_local(const std::string& name) const;
  bool exhausted(Span span);

  // elaborate.cpp
  Value name(const ast::Name& name, Span span);
  Value param(const Declaration& declaration, Span span);
  Value param_group(const ParamGroup& group, Span span);
  Value reference(ir::ParamId param, Span span);
  Value quotient_or_reference(ir::ParamId param, Span span);
  Value affine(const ir::Affine& affine, Scalar type, Span span);
  Value unary(const ast::Unary& unary, Span span, const Type* expected);
  Value binary(const ast::Binary& binary, Span span, const Type* expected);
  void warn_of_power(const ast::Binary& binary, Span at);
  Value aggregate(const ast::Aggregate& aggregate, Span span, const Type* expected);
  Value structure(const ast::Aggregate& aggregate, Span span, const StructType& type,
                  const Type& whole);
  Value conform(Value value, const Type& type, Span span);
  Value not_usable(const std::string& name, const char* what, Span span,
                   const std::string& hint = "");

  // elaborate_reduction.cpp
  Value reduction(const Declaration& declaration, const std::string& name, int back, Span span);
  bool known_reduction(ir::ReductionId id, Span span);
  bool is_above(ir::ReductionId id) const;
  bool names_itself(ir::ReductionId id, int back, Span span) const;
  bool may_read(ir::ReductionId id, int back, Span span);
  int level_of(const FieldBinding& binding);
  std::string hint_of_further_reduction(const ir::Field& profile) const;
  Value before_step(ir::ReductionId id, bool replaced, Span span);

  // elaborate_access.cpp
  FieldUse field_use(const ast::Expr& expr);
  Value needs_offsets(ir::FieldId id, Span field, Span whole = {}, const std::string& foreign = "");
  bool names_point(const ast::Expr& expr) const;
  const ast::Expr* added_to_point(const ast::Expr& index) const;
  std::optional<int64_t> offset_from_point(const ast::Expr& index) const;
  std::string hint_of_called_field(const ast::Call& call) const;
  bool reads_by_coordinates(const ir::Field& declared, const ast::Expr& field,
                            const std::vector<ast::ExprPtr>& indices, Span span);
  // `towards`: -1 for the field of the finer level, 1 for that of the coarser one.
  FieldUse field_named(const std::string& name, int back, int towards, Span span);
  std::optional<ir::FieldId> of_other_level(ir::FieldId field, int towards, Span span);
  Value bracket(const ast::Bracket& bracket, Span span);
  Value member(const ast::Member& member, Span span);
  Value access(const FieldBinding& field, const std::vector<ast::ExprPtr>& indices, Span span);
  bool stands_alone(const FieldBinding& field) const;
  Value field_alone(const FieldBinding& field, Span span);
  bool at_point_itself(const ir::Field& field, Span span);
  Value access(const FieldBinding& field, const std::vector<int>& at, Span span);
  bool locate(ir::Access& access, Span span);
  bool set_maps(ir::Access& access, Span span);
  bool rules_hold_across(const ir::Access& access, Span span);
  Value components(ir::Access access, Span span);
  Value select_indices(const Value& base, const std::vector<ast::ExprPtr>& indices, Span span);

  // a single offset, or a range of possible offsets
  struct Offset {  // one offset, or a range of possible offsets
    int low, high;
    Value varies = {};  // distance from `middle`; the value has no type if low == high
    int middle = 0;
  };
  using Offsets = std::vector<Offset>;
  std::optional<int> steps_ahead(const ast::Expr& index);
  std::optional<Offset> offset(const ast::Expr& index, int moved);
  std::optional<Offset> varying_offset(const ast::Within& within, int moved);
  std::optional<Offsets> own_offsets(const ir::Field& field,
                                     const std::vector<ast::ExprPtr>& indices, Span span);
  // For a function application the domain is that of the point, for an access that of the field.
  std::optional<Offsets> offsets(const std::vector<ast::ExprPtr>& indices, Span span,
                                 ir::DomainId of);
  void no_integer(const Value& value, Span span);
  bool is_offset(int64_t value, Span span);
  bool few_enough(const Offsets& offsets, Span span);
  using AtOffset = std::function<Value(const std::vector<int>&)>;
  Value at_offsets(const Offsets& offsets, Span span, const AtOffset& read);
  Value chosen_offset(const Offsets& offsets, std::vector<int>& at, int low, int high, Span span,
                      const AtOffset& read);
  Value no_offset(Span span);

  // rule_values.cpp
  class MetBounds;
  bool rules_allow(const ir::Access& access, Span span);
  Value elsewhere(const ast::Expr& expr, const Site& site, std::vector<int> shift,
                  const Type* expected);

  // initial.cpp
  Value initial_value(ir::FieldId field, const std::vector<int>& at, Span span);
  const ir::Init* init_before(ir::FieldId field, Span span);
  bool initialised_there(const ir::Field& field, int d, const ir::Range& points, int offset,
                         Span span);

  // random.cpp
  std::optional<Leaf> random_argument(const ast::Expr& expr, bool seed);
  Value random(const ast::Call& call, Span span);

  // elaborate_call.cpp
  Value call(const ast::Call& call, Span span, const std::vector<int>* shift, const Type* expected);
  Value built_in(Op op, const ast::Call& call, Span span, const Type* expected);
  Value sign(const ast::Call& call, Span span, const Type* expected);
  Value logical_shift(const ast::Call& call, Span span);
  // Computes base^exponent as products: the square of base^(exponent/2), times the base if the
  // exponent is odd. A negative exponent gives 1 / base^-exponent.
  Value power(const Value& base, int64_t exponent, Span span);
  Value conversion(Scalar to, const ast::Call& call, Span span);
  Value apply_function(int index, const ast::Call& call, Span span, const std::vector<int>* shift);
  bool passes_field_as_value(const FunctionInfo& function, size_t a, const ast::Expr& given);
  std::string declare_as_field(const ast::Function& function, const std::string& argument) const;
  const ast::Identifier* value_argument(const ast::Expr& expr) const;
  bool reads_value_like_field(const ast::Expr& base, Span span);
  const FunctionInfo* shiftable_function(const ast::Expr& expr) const;
  Value comprehension(const ast::Comprehension& comprehension, Span span, const Type* expected);
  Value vector_of(const std::vector<Value>& elements, Span span);
  bool unroll(const ast::Comprehension& comprehension, size_t binder,
              std::unordered_map<std::string, Binding>& names, const Type* expected,
              std::vector<Value>& terms);

  // coordinates.cpp
  Value coordinate(Coordinate what, const ast::Call& call, Span span);
  struct Dimension {
    int index;  // dimension of the ir::Index if the argument is an index
    int of_grid;
  };
  std::optional<Dimension> dimension_of(const ast::Call& call, bool number);
  Value declared_coordinate(const std::optional<ast::PerDimension>& values, int d, int64_t absent);

  Environment& env_;
  Site site_;
  Scalar real_;  // the type that `real` means at this site
  ir::Graph& graph_;
  AccessProver* prover_;
  Arithmetic arithmetic_;
  bool in_boundary_ = false;  // only profiles and series may be read here
  // Indices count the dimensions of this field; null: of the grid.
  const ir::Field* field_ = nullptr;

  Frame root_;
  Frame* frame_ = &root_;
  // Offset of the function application that is being inlined; empty: no offset.
  std::vector<int> shift_;
  // The function that is being inlined; functions.size() outside of functions.
  int current_function_;
  std::vector<Span> applied_at_;  // the applications that are being inlined
  // Results of function applications, by function, arguments and shift. Without this memo, nested
  // applications such as f(f(u)[1])[1] would take exponential time.
  std::map<std::vector<int64_t>, Value> applications_;

  int depth_ = 0;
  int visits_ = 0;
  bool exhausted_ = false;
  bool targets_unknown_ = false;
};

// Elaborates the values of the field's boundary rules, unless this has been done. False if one of
// them has an error.
bool elaborate_rules(Environment& env, ir::FieldId field);
void elaborate_all_rules(Environment& env);

// A member of a structure: its type and the position of its first component within the structure.
struct FoundMember {
  TypePtr type;
  size_t first;
};
// S022 if the structure has no such member. `base`: the place of the structure in the text.
enum class Selected { Value, Target };
std::optional<FoundMember> find_member(Environment& env, const Type& of,
                                       const ast::Identifier& member, Span base, Selected selected);

// Returns an integer that must be known at compile time, for use outside of any piece.
std::optional<int64_t> constant_integer(Environment& env, const ast::Expr& expr, const char* what);

}  // namespace stencil::sema
