// The abstract syntax tree: the content of the text, with a span on every node and nothing
// resolved.
//
//   program  = item*
//   item     = param | grid | subgrid | type | field | series | points | table | function | stencil
//            | cycle | step block | start block | repeat | end of a repeat | init
//            | reduce (also record) | stop | require
//   block    = statement*
//   statement = apply | repeat | if | coarser
//   expr     = number | bool | name | level | unary | binary | call | comprehension
//            | bracket | member | aggregate | within
//
// Closed sets are variants. Expressions are owned trees. The parser bounds their depth
// (kMaxExpressionDepth), so later recursive passes cannot overflow the stack.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/support/boundary.h"
#include "compiler/support/scalar.h"
#include "compiler/support/source.h"

namespace stencil::ast {

constexpr int kMaxExpressionDepth = 2000;  // height of an expression tree
constexpr int kMaxNesting = 200;           // brackets, braces and calls within each other

struct Identifier {
  std::string name;
  Span span;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Number {     // 12, 0.5, 1e-6
  bool integral;    // written without point or exponent
  int64_t integer;  // value if integral (out of range: a syntax error)
  double real;      // value in double
};
struct Boolean {
  bool value;
};  // true, false
struct Name {
  std::string name;
};  // param, field, let, index name, table, time, ...
struct Level {
  std::string field;
  int back;         // time levels: 1 for U@-1
  int towards = 0;  // grid levels: -1 for fine U, +1 for coarse U
};
struct Unary {
  Op op;  // Neg, Not, BitNot
  ExprPtr operand;
};
struct Binary {
  Op op;  // those of kBinaryOperators (operators.h)
  ExprPtr left, right;
};
struct Call {  // built-in, conversion, or a function of the program
  Identifier callee;
  std::vector<ExprPtr> arguments;
};
struct Binder {  // a in -1..1
  Identifier name;
  ExprPtr low, high;
};
struct Comprehension {  // sum(a in -1..1, b in -1..1 : expr); also prod, min, max, vector
  Identifier reducer;
  std::vector<Binder> binders;
  ExprPtr body;
};
struct Bracket {  // A[0,1]; U@-1[0]; lap(U)[0,0,1]; w[a+1]; v[2]
  ExprPtr base;
  std::vector<ExprPtr> indices;
};
struct Member {
  ExprPtr base;
  Identifier name;
};                  // S[0,0].rho
struct Aggregate {  // {1, 2} (vector, table row) or {rho = 1, u = {0, 0}} (structure)
  struct Entry {
    std::optional<Identifier> name;
    ExprPtr value;
  };
  std::vector<Entry> entries;
};
struct Within {  // d within 2, among the indices of a bracket: an offset of -2..2
  ExprPtr value, bound;
};

struct Expr {
  std::variant<Number, Boolean, Name, Level, Unary, Binary, Call, Comprehension, Bracket, Member,
               Aggregate, Within>
      kind;
  Span span;
};

struct Range {  // 1..N-2, or 0 (one point: high is null), optionally "i in" before it
  std::optional<Identifier> index;
  ExprPtr low;
  ExprPtr high;
  Span span;
  ExprPtr stride = nullptr;  // 0..N-1 by 2; null: 1
};
struct Box {
  std::vector<Range> ranges;
  Span span;
};
struct NamedRegion {  // interior, interior[i,j]: a sub-grid or the grid
  Identifier name;
  std::vector<Identifier> indices;  // may be empty
};
using Region = std::variant<NamedRegion, Box>;

struct TypeExpr;
struct StructMember {
  Identifier name;
  std::unique_ptr<TypeExpr> type;
};
struct NamedType {
  std::string name;
};                   // real, float, ..., or a type declared in the program
struct VectorType {  // vector 2 of real
  ExprPtr length;
  std::unique_ptr<TypeExpr> element;
};
struct StructType {
  std::vector<StructMember> members;
};
struct TypeExpr {
  std::variant<NamedType, VectorType, StructType> kind;
  Span span;
};

struct Param {  // param N : integer = 512;
  Identifier name;
  TypeExpr type;
  ExprPtr value;  // null: must be given, or stays open
};
struct PerDimension {  // dx, for all dimensions, or [dx, dy]
  bool list = false;   // in brackets: one value per dimension
  std::vector<ExprPtr> values;
  Span span;
};
struct Coarsening {  // by 2; by [1, 2] cells
  PerDimension ratios;
  bool cells = false;  // cell-centred; otherwise vertex-centred
  Span span;
};
// A grid has a box, or is derived from another one and has `parent` and `by`:
//   grid G = [0..N-1] levels 3 by 2 steps 100 origin 0 spacing dx;   (attributes in any order)
//   grid C of G by 2;
struct Grid {
  Identifier name;
  Box box;                                      // without ranges if the grid is derived
  ExprPtr steps;                                // null: must be given on the command line
  std::optional<PerDimension> origin, spacing;  // absent: 0 and 1
  std::optional<Identifier> parent = {};
  std::optional<Coarsening> by = {};           // from the parent to this grid
  ExprPtr levels = nullptr;                    // null: 1
  std::optional<Coarsening> level_ratio = {};  // from each level to the next; present with `levels`
};
struct Subgrid {  // subgrid interior of G = [1..N-2];
  Identifier name;
  Identifier parent;
  Box box;
};
struct TypeDecl {  // type cell = { ... };
  Identifier name;
  TypeExpr type;
};
using stencil::BoundaryKind;
struct BoundaryRule {
  BoundaryKind kind;
  ExprPtr value;  // if the rule takes one (boundaries.def)
  Span span;
};
struct BoundarySides {  // clamp, for both sides (high is absent), or clamp .. mirror
  BoundaryRule low;
  std::optional<BoundaryRule> high;
};
struct Boundary {     // boundary clamp; boundary [periodic, clamp .. mirror]
  bool list = false;  // in brackets: rules per dimension; otherwise for all
  std::vector<BoundarySides> dimensions;
  Span span;
};
struct Field {  // field U, V : real on G history 2 boundary clamp;   (attributes in any order)
  std::vector<Identifier> names;
  TypeExpr type;
  Identifier domain;
  std::optional<PerDimension> along;  // dimensions of the grid, one or a list; absent: all
  ExprPtr history;                    // null: 1
  bool constant = false;
  std::optional<Boundary> boundary;
};
struct Series {  // series w : real [0..K-1] on G along 0 boundary clamp;
  std::vector<Identifier> names;
  TypeExpr type;
  Box times;                         // one range
  std::optional<Identifier> domain;  // absent: a value for all points
  std::optional<PerDimension> along;
  std::optional<Boundary> boundary;
};
struct Points {  // points shots [0..S-1] on G weights 8;
  std::vector<Identifier> names;
  Box numbers;        // one range
  Identifier domain;  // the grid or sub-grid that they lie in
  ExprPtr weights;    // grid points per dimension with weights from the program; null: multilinear
};
struct Table {  // table w : real[3,3] = { {1,2,1}, ... };
  Identifier name;
  TypeExpr type;
  std::vector<ExprPtr> extents;
  ExprPtr value;
};
struct Let {  // let d = expr;
  Identifier name;
  ExprPtr value;
};
struct Function {  // function lap(u : field) = expr;  or  function f(u : field) { let ...; expr }
  struct Argument {
    Identifier name;
    bool is_field = false;              // ": field"; otherwise a value
    std::optional<TypeExpr> type = {};  // the type of a value; must exist, has no further effect
  };
  Identifier name;
  std::vector<Argument> arguments;
  std::vector<Let> lets;
  ExprPtr value;
};
struct Piece {  // region = expr;  region where condition = expr;  else = expr;
  Region region;
  ExprPtr where;  // null: at all points of the region
  ExprPtr value;
  Span span;
  bool otherwise = false;  // `else`, also the region's name: the points that no other piece writes
};
struct Target {  // A; S.v, a member of a structure
  Identifier field;
  std::vector<Identifier> members;
  const Identifier& last() const { return members.empty() ? field : members.back(); }
  Span span() const { return join(field.span, last().span); }
};
std::string text_of(const std::vector<Target>& targets);  // "A, S.v"
struct Stencil {  // the three forms (on REGION = e; BOX = e; { let...; pieces }) all become pieces
  Identifier name;
  std::vector<Target> targets;
  std::vector<Let> lets;
  std::vector<Piece> pieces;
  ExprPtr every = nullptr;  // null: 1
};
// The items from a Repeat to its RepeatEnd belong to the repeat. They stay items of the program, so
// that an error in one does not affect the others.
struct Repeat {  // repeat 20 {
  ExprPtr count;
};
struct RepeatEnd {};  // }

// Blocks of statements. Their depth is at most kMaxNesting, and an `else if` counts as a block.
struct Statement;
struct Block {
  std::vector<Statement> statements;  // may be empty
  Span span;                          // with the braces
};
struct ApplyStatement {  // smooth;
  Identifier name;       // of a stencil function, reduction or cycle
};
struct RepeatStatement {  // repeat 2 { ... }
  ExprPtr count;
  Block body;
};
struct IfStatement {  // if level < L - 1 { ... } else { ... }
  ExprPtr condition;
  Block then;
  Block otherwise;  // empty without `else`; of `else if ...` a block with one statement
};
struct CoarserStatement {  // coarser { ... }
  Block body;
};
struct Statement {
  std::variant<ApplyStatement, RepeatStatement, IfStatement, CoarserStatement> kind;
  Span span;
};
struct Cycle {  // cycle v { ... }
  Identifier name;
  Block body;
};
struct StepBlock {  // step { ... }: what one time step applies, instead of the order of the text
  Block body;
};
struct StartBlock {  // start { ... }: applied once, before the first step
  Block body;
};

struct Init {  // init A[i,j] = expr;
  Identifier field;
  std::vector<Identifier> indices;  // may be empty
  ExprPtr value;
};
struct Reduce {  // reduce energy = sum(expr) on interior every 50;
                 // reduce density = sum(expr) over 1 on G boundary clamp;
                 // record trace [0..K-1] = expr at mics every 2;
  Identifier name;
  Identifier reducer;  // sum, prod, min, max; unused in a record
  ExprPtr value;
  Region region;
  ExprPtr where;                      // null: at all points of the region
  ExprPtr every;                      // null: 1
  ExprPtr initial = nullptr;          // the value of NAME@-1 in the first step; may be null
  std::optional<PerDimension> over;   // dimensions of the grid that are reduced; absent: all
  std::optional<Boundary> boundary;   // of a result that is a field
  std::optional<Identifier> at = {};  // of a record: its points, instead of a region
  Box rows = {};                      // of a record: one range
};
struct Stop {
  ExprPtr condition;
};
struct Require {
  ExprPtr condition;
};

struct Item {
  std::variant<Param, Grid, Subgrid, TypeDecl, Field, Series, Points, Table, Function, Stencil,
               Cycle, StepBlock, StartBlock, Repeat, RepeatEnd, Init, Reduce, Stop, Require>
      kind;
  Span span;
};

// An item with a syntax error, as far as the text tells. Semantic analysis uses it to leave out
// errors that only follow from the syntax error.
struct BrokenItem {
  std::string keyword;            // the keyword that is meant; empty if unknown
  std::vector<Identifier> names;  // what the item probably declares; of an init: its field
};

struct Program {
  std::vector<Item> items;
  std::vector<BrokenItem> broken;
  bool has_errors = false;  // also set if only the ';' of an item is missing, which is not broken
};

}  // namespace stencil::ast
