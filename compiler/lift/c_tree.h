// C and C++ as the lifter sees it: the functions that a region of a file needs, with every macro
// expanded, every template instantiated, every implicit conversion written out, and names resolved.
//
//   file --Clang (runtime/host/c_reader.cpp)--> CTree --execute.h--> nests
//
// The tree crosses the border of libstencil_host.so as text, so it is one kind of node, in vectors,
// without pointers. What the lifter does not know is a node too (Unknown), with what it is: it is
// refused only if the computation needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil::lifter {

enum class CScalar : uint8_t { None, Bool, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
bool is_floating(CScalar type);
bool is_integer(CScalar type);  // Bool, too
bool is_unsigned(CScalar type);
int bits_of(CScalar type);
const char* name_of(CScalar type);  // in C: "unsigned long"

struct CTypeInfo {
  enum class Kind : uint8_t { Void, Scalar, Pointer, Array, Reference, Struct, Sequence, Other };
  Kind kind = Kind::Other;
  CScalar scalar = CScalar::None;
  // Element of a pointer, an array, a reference or a sequence: a std::vector, a std::span, or the
  // outermost dimension of an mdspan, whose others are sequences or arrays in it.
  int of = -1;
  int64_t extent = -1;      // of an array or a sequence, if constant
  int size = -1;            // its node: of a length that is no constant, or is made of named ones
  bool constant = false;    // const
  bool restricted = false;  // restrict
  // Of a sequence that does not own its elements; of an mdspan: in which order memory has them.
  enum class View : uint8_t { None, Span, Right, Left };
  View view = View::None;
  std::string text;                  // as C writes it
  std::vector<std::string> members;  // of a structure, with their types
  std::vector<int> member_types;
};

struct CVariable {
  enum class Storage : uint8_t { Parameter, Local, Global };
  std::string name;
  int type = -1;
  Storage storage = Storage::Local;
  int initial = -1;  // node; of globals and static locals only if they are const
  int line = 0;
};

enum class CKind : uint8_t {
  // expressions; `type` is theirs, children in order
  Int,       // integer; text: the macro or constant it came from, if it is one
  Real,      // real
  Variable,  // integer: index into variables
  Unary,     // text: - + ! ~
  Binary,  // integer: 1 if the right operand is evaluated first; text: + - * / % << >> < <= > >= ==
           // != & | ^ && ||
  Assign,  // left, right
  Step,    // text: ++x --x x++ x--
  Cast,    // one child
  Subscript,  // base, index
  Member,     // base; integer: number of the member; text: its name; of a pointer: Deref first
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
  Unknown  // text: what it is, in words: "a goto"; integer: 1 if an expression may change something
};

struct CNode {
  CKind kind = CKind::Empty;
  int type = -1;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<int> children;
  int line = 0, column = 0;  // in the file to lift; of a macro, where it is used
  int file = 0;              // index into files; 0 is the file to lift
};

struct CFunction {
  std::string name;
  std::vector<int> parameters;  // variables
  int result = -1;              // type
  int body = -1;                // node
  int line = 0;
  bool member = false;  // its first parameter is `this`
};

struct CTree {
  std::vector<std::string> files;
  std::vector<CTypeInfo> types;
  std::vector<CVariable> variables;
  std::vector<CFunction> functions;
  std::vector<CNode> nodes;

  bool cpp = false;  // C++, not C
  int entry = -1;    // function to lift; of a region: made of it, with what it uses as parameters
  bool region = false;                  // between pragmas, or a loop
  std::vector<std::string> conditions;  // macros that #if and #elif ask for
  std::string region_text;              // its source
  int region_line = 0;                  // where it begins
};

std::string write(const CTree& tree);
// Nothing if the text is no tree: indices out of range, cut off.
std::optional<CTree> read_tree(std::string_view text);

}  // namespace stencil::lifter
