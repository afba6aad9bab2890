// C and C++ as the lifter sees it: the functions that a region of a file needs, with macros
// expanded, templates instantiated, implicit conversions written out and names resolved.
//
//   file --Clang (runtime/host/c/c_reader.cpp)--> CTree --execution.h--> nests
//
// The tree leaves libstencil_host.so as text. It therefore has a single node type, stored in
// vectors and linked by indices. Constructs that the lifter does not support become Unknown nodes
// with a description. The lifter refuses them only if the computation needs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil::lifter {

enum class CScalar : uint8_t { None, Bool, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
bool is_floating(CScalar type);
bool is_integer(CScalar type);  // includes Bool
bool is_unsigned(CScalar type);
int bits_of(CScalar type);
const char* name_of(CScalar type);  // in C: "unsigned long"

struct CTypeInfo {
  enum class Kind : uint8_t { Void, Scalar, Pointer, Array, Reference, Struct, Sequence, Other };
  Kind kind = Kind::Other;
  CScalar scalar = CScalar::None;
  // The element type of a pointer, array, reference or sequence. A sequence is a std::vector, a
  // std::span or the outermost dimension of an mdspan; its inner dimensions are nested sequences or
  // arrays.
  int of = -1;
  int64_t extent = -1;  // length of an array or a sequence; -1 if not constant
  int size = -1;        // node of the length if the length is not constant or uses named constants
  bool constant = false;    // const
  bool restricted = false;  // restrict
  // For sequences that do not own their elements. Right and Left are the layouts of an mdspan.
  enum class View : uint8_t { None, Span, Right, Left };
  View view = View::None;
  std::string text;                  // C spelling
  std::vector<std::string> members;  // names of the members of a structure
  std::vector<int> member_types;
};

struct CVariable {
  enum class Storage : uint8_t { Parameter, Local, Global };
  std::string name;
  int type = -1;
  Storage storage = Storage::Local;
  int initial = -1;  // node; globals and static locals have an initial value only if they are const
  int line = 0;
};

enum class CKind : uint8_t {
  // expressions: `type` is the type of the result, operands are children in order
  Int,       // integer; text: the macro or constant that the number came from, if any
  Real,      // real
  Variable,  // integer: index into variables
  Unary,     // text: - + ! ~
  Binary,  // integer: 1 if the right operand is evaluated first; text: + - * / % << >> < <= > >= ==
           // != & | ^ && ||
  Assign,  // left, right
  Step,    // text: ++x --x x++ x--
  Cast,    // one child
  Subscript,  // base, index
  Member,     // base; integer: index of the member; text: its name; p->m has a Deref as base
  Deref,      // *p
  Address,    // &x
  Choice,     // c ? a : b
  Call,       // text: the name; integer: index into functions, or -1
  List,       // { a, b }; missing elements are absent
  Comma,      // a, b
  // statements
  Block,
  Declare,  // integer: the variable; child: its initial value, if any
  If,       // condition, then, [else]
  For,      // init, condition, step, body (Empty where absent)
  While,    // condition, body
  Do,       // body, condition
  Return,   // [value]
  Break,
  Continue,
  Empty,
  Unknown  // text: description, such as "a goto"; integer: 1 if it is an expression with effects
};

struct CNode {
  CKind kind = CKind::Empty;
  int type = -1;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<int> children;
  // Position in the file to lift; inside a macro, the position where the macro is expanded.
  int line = 0, column = 0;
  int file = 0;  // index into files; 0 is the file to lift
};

struct CFunction {
  std::string name;
  std::vector<int> parameters;  // variables
  int result = -1;              // index of the type
  int body = -1;                // index of the node
  int line = 0;
  bool member = false;  // a member function: its first parameter is `this`
  std::string scope;    // "q::S::", its named namespaces and classes; "" in the global scope
};

struct CTree {
  std::vector<std::string> files;
  std::vector<CTypeInfo> types;
  std::vector<CVariable> variables;
  std::vector<CFunction> functions;
  std::vector<CNode> nodes;

  bool cpp = false;  // C++, not C
  // The function to lift; if made from a region, the variables of the region are its parameters.
  int entry = -1;
  bool region = false;  // entry was made from a region: code between pragmas, or a loop
  std::vector<std::string> conditions;  // macros tested by #if and #elif
  std::string region_text;              // source text of the region
  int region_line = 0;                  // first line of the region
};

std::string write(const CTree& tree);
// Returns nullopt if the text is truncated or an index is out of range.
std::optional<CTree> read_tree(std::string_view text);

}  // namespace stencil::lifter
