// Hints for constructs of MATLAB, Fortran, NumPy, C or Devito that are tokens and not names. A row
// has the token, the grammar rules that are expected there, and further conditions that identify
// the mistake: a wrong hint is worse than none. Functions make the hints that quote the program.
#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/boundary_words.h"
#include "compiler/syntax/foreign.h"
#include "compiler/syntax/foreign_place.h"
#include "compiler/syntax/messages.h"

namespace stencil {
namespace {

using namespace foreign;  // NOLINT: the place and its tests are the vocabulary of the rows
using grammar::argument_close;
using grammar::argument_name;
using grammar::argument_open;
using grammar::assign;
using grammar::box_close;
using grammar::bracket_close;
using grammar::call_close;
using grammar::colon;
using grammar::dots;
using grammar::end;
using grammar::grid_end;
using grammar::member_name;
using grammar::paren_close;
using grammar::primary;
using On = grammar::keyword<grammar::on_>;

template <typename... Rules>
constexpr std::array<std::string_view, sizeof...(Rules)> kDue = {kExpectation<Rules>.expected...};

constexpr std::span<const std::string_view> kAnything = {};
// Rules that are expected after an operand.
constexpr std::span<const std::string_view> kOperator =
    kDue<end, grammar::let_end, grammar::piece_end, grid_end, paren_close, call_close,
         bracket_close, box_close, grammar::comprehension_close, grammar::aggregate_close,
         grammar::reduce_close>;
constexpr std::span<const std::string_view> kStatement =
    kDue<grammar::block_end, grammar::statement_due>;
constexpr std::span<const std::string_view> kTypeEnd = kDue<On, end, argument_close>;

constexpr std::string_view kUnequal = "'not equal' is written '!='";
constexpr std::string_view kWholeValue = "a stencil gives the whole new value, as in 'A[0] + 1'";
constexpr std::string_view kSelect = "a choice is written 'select(condition, a, b)'";
constexpr std::string_view kComment = "a comment begins with '//'";
constexpr std::string_view kPower = "a power is written 'x*x', or 'pow(x, y)'";
constexpr std::string_view kNoStrings = "there are no strings";
constexpr std::string_view kEquality = "equality is written '=='";
constexpr std::string_view kFunction = "write 'function f(x) = expression;'";
constexpr std::string_view kRange = "a range is written 'low..high' and includes both ends";
constexpr std::string_view kBox = "all ranges go into one pair of brackets: '[0..N-1, 0..M-1]'";
constexpr std::string_view kPointByPoint = "all operators work point by point: omit the dot";
constexpr std::string_view kArgument = "an argument is written 'x', 'x : real' or 'u : field'";
constexpr std::string_view kTypes =
    "real float double half bfloat integer long byte ubyte short ushort bool int unsigned char "
    "const";

// True if a construct with this last token can be indexed by brackets.
bool ends_operand(std::string_view token) {
  if (token == ")" || token == "]" || is_number(token)) return true;  // f(u)[0], A[0][0], A@-1[0]
  return !token.empty() && (is_letter(token[0]) || token[0] == '_') && !is_keyword(token);
}

bool is_direction(std::string_view token) {
  return token == "fine" || token == "coarse";
}

struct TokenRow {
  std::string_view tokens;  // separated by blanks; empty: any token
  char before;              // the byte directly before the token; 0: any
  std::span<const std::string_view> due;
  std::string_view hint;
  bool (*where)(const Place&) = nullptr;
};

// The first matching row wins.
const TokenRow kTokens[] = {
    {"&", '&', kAnything, "the logical operator is written 'and'"},
    {"|", '|', kAnything, "the logical operator is written 'or'"},
    {"*", '*', kAnything, kPower},
    {"+", '+', kAnything, kWholeValue},
    {"=", '+', kAnything, kWholeValue},
    {"=", '-', kAnything, kWholeValue},
    {"=", '*', kAnything, kWholeValue},
    {"=", '/', kAnything, kUnequal},
    {">", '<', kAnything, kUnequal},
    {"~", 0, kOperator, kUnequal, [](const Place& p) { return p.byte_behind() == '='; }},
    {"=", 0, kDue<paren_close, call_close>, "an index and its range are written 'a in -1..1'",
     [](const Place& p) {
       return is_one_of("( ,", p.back(2)) && is_one_of("sum prod", p.opened_behind());
     }},
    {"=", 0, kDue<paren_close, call_close>, kEquality},
    {"=", 0, kDue<end>, kEquality,
     [](const Place& p) { return is_one_of("require stop", p.item()); }},
    {"=", 0, kDue<end>, "write initial values as a separate item: 'init A = 1;'",
     [](const Place& p) { return p.item() == "field"; }},
    {"=", 0, kDue<end>, "write a single '=' before the value",
     [](const Place& p) { return is_one_of("stencil init param", p.item()); }},
    {"=", 0, kDue<primary>, "the value follows without '='",
     [](const Place& p) {
       return is_one_of("steps history spacing origin every levels by", p.back()) ||
              precedes_boundary_value(p.back());
     }},
    {"", 0, kDue<primary>, "the ratio follows: 'by 2'",
     [](const Place& p) {
       return p.item() == "grid" && p.back() == "by" && is_one_of("; cells", p.token());
     }},
    {"=", 0, kDue<argument_open>, kFunction},
    {"=", 0, kDue<colon>, "a member is written 'a : real'",
     [](const Place& p) { return is_one_of("{ ,", p.back(2)); }},
    {":", 0, kDue<assign, grammar::grid_form, grammar::function_form>, "write '='",
     [](const Place& p) { return p.byte_behind() == '='; }},
    {":", 0, kDue<assign, grammar::grid_form>, "write '='",
     [](const Place& p) { return is_one_of("grid subgrid type init reduce", p.item()); }},
    {":", 0, kDue<end>, "write '='",
     [](const Place& p) { return p.byte_behind() == '=' && !p.has_before("="); }},
    {"?", 0, kAnything, kSelect},
    {"if then else", 0, kOperator, kSelect},
    {"", 0, kOperator, kSelect,
     [](const Place& p) { return p.back() == "if" || p.called() == "if"; }},
    {"", 0, kOperator, kFunction, [](const Place& p) { return p.back() == "lambda"; }},
    {"for", 0, kDue<call_close>, "write 'sum(a in -1..1 : expression)'"},
    {"\"", 0, kAnything, kNoStrings},
    {"“ ” ‘ ’ „ « »", 0, kAnything, kNoStrings},
    {"'", 0, kAnything, "there are no matrices, so nothing is transposed",
     [](const Place& p) {
       const char before = p.byte_before();
       return is_letter(before) || before == ']' || before == ')' || before == '.';
     }},
    {"'", 0, kAnything, kNoStrings},
    {"#", 0, kAnything, "a program is one file",
     [](const Place& p) { return p.next() == "include"; }},
    {"#", 0, kAnything, "a constant is a param: 'param N : integer = 16;'",
     [](const Place& p) { return p.next() == "define"; }},
    {"#", 0, kAnything, kComment},
    {"% !", 0, kDue<grammar::item>, kComment},
    {"-", 0, kDue<grammar::item>, kComment, [](const Place& p) { return p.byte_behind() == '-'; }},
    {"!", 0, kOperator, kComment, [](const Place& p) { return p.next() != "="; }},
    {"", 0, kDue<end>, kComment,
     [](const Place& p) {
       return p.is_word() && p.back(2) == "%" && is_letter(p.back()[0]) && !p.ends_item_in_line();
     }},
    {"−", 0, kAnything, "the minus sign is '-'"},
    {"– — ‐", 0, kAnything, "the minus sign is '-'"},
    {"× · ⋅ ∙ ∗", 0, kAnything, "a product is written '*'"},
    {"÷ ∕", 0, kAnything, "a quotient is written '/'"},
    {"² ³ ⁴", 0, kAnything, kPower},
    {"≤", 0, kAnything, "write '<='"},
    {"≥", 0, kAnything, "write '>='"},
    {"≠", 0, kAnything, kUnequal},
    {"√", 0, kAnything, "write 'sqrt(x)'"},
    {"π", 0, kDue<primary>, "write 'pi'"},
    {"…", 0, kAnything, kRange},
    {"\u00a0", 0, kAnything, "this is a no-break space: write a plain one"},
    {":", 0, kDue<dots>, kRange},
    {"", 0, kDue<dots>, kRange, [](const Place& p) { return p.called() == "range"; }},
    {":", 0, kDue<box_close>, kRange},
    {":", 0, kDue<bracket_close>,
     "a read has one offset per dimension; add up neighbours by 'sum(a in -1..1 : A[a])'"},
    {": ..", 0, kDue<primary>,
     "a read has one offset per dimension, relative to the current point: 'A[0]' is the point "
     "itself",
     [](const Place& p) {
       const bool box = p.item() == "stencil" && !p.has_before("=");
       return is_one_of("[ ,", p.back()) && ends_operand(p.opened_behind()) && !box;
     }},
    {": ..", 0, kDue<primary>, kRange, [](const Place& p) { return is_one_of("[ ,", p.back()); }},
    {"", 0, kDue<grammar::index_name>,
     "a box follows the field: 'stencil s : A[1..N-2] = ...'; after a grid stand names of indices",
     [](const Place& p) {
       return p.item() == "stencil" && (is_number(p.token()) || is_one_of("- (", p.token()));
     }},
    {":", 0, kDue<grammar::index_name>, "an init covers the whole field: 'init A = 1;'"},
    {":", 0, kOperator, "a function is called by its name alone, as in 'sin(x)'",
     [](const Place& p) { return p.byte_behind() == ':'; }},
    {".", '.', kAnything, "a range has two dots: 'low..high'"},
    {"* /", 0, kDue<member_name>, kPointByPoint},
    {"^", 0, kDue<member_name>, kPower},
    {"in", 0, kDue<box_close>, "only the boxes of stencils and reductions name their indices"},
    {"let", 0, kDue<grammar::body_close>, "local values come first in a body"},
    {"let", 0, kDue<primary>, "local values belong in a body: '{ let x = 1; [0..N-1] = x; }'"},
    {"[", 0, kDue<primary>, "write several values in braces: '{1, 2}'"},
    {"[", 0, kDue<On>,
     "a field has no extents: its grid has; for several values per point write 'vector 3 of real'"},
    {"(", 0, kDue<On>,
     "a field has no extents: its grid has; for several values per point write 'vector 3 of real'",
     [](const Place& p) { return p.next() != "8" && p.next() != "4"; }},
    {";", 0, kDue<On>, "a field is written 'field A : real on G;'"},
    {"[", 0, kDue<grammar::grid_form>, "write 'grid G = [0..N-1, 0..M-1]'"},
    {"=", 0, kDue<grammar::grid_ratio_word>,
     "a part of a grid is a sub-grid: 'subgrid S of G = [1..N-2];'"},
    {"by", 0, kDue<assign>, "a coarser grid is a grid of its own: 'grid C of G by 2;'",
     [](const Place& p) { return p.item() == "subgrid"; }},
    {"( *", 0, kTypeEnd, "write 'double'",
     [](const Place& p) { return p.back() == "real" && p.next() == "8"; }},
    {"( *", 0, kTypeEnd, "write 'float'",
     [](const Place& p) { return p.back() == "real" && p.next() == "4"; }},
    {"precision", 0, kTypeEnd, "write 'double'",
     [](const Place& p) { return p.back() == "double"; }},
    {"double", 0, kTypeEnd, "write 'double'", [](const Place& p) { return p.back() == "long"; }},
    {"long int", 0, kTypeEnd, "write 'long'", [](const Place& p) { return p.back() == "long"; }},
    {"int", 0, kTypeEnd, "write 'integer'",
     [](const Place& p) { return is_one_of("unsigned short signed", p.back()); }},
    {"(", 0, kDue<assign>, kSelect, [](const Place& p) { return p.back() == "if"; }},
    {"(", 0, kDue<assign>, "the names of indices stand in brackets, as in 'init A[i] = i;'",
     [](const Place& p) { return p.item() == "init"; }},
    {"(", 0, kDue<assign>, "a reduction has a name: 'reduce r = max(A[0]) on G;'",
     [](const Place& p) { return p.item() == "reduce"; }},
    {"{", 0, kDue<assign>, kThreeStencilForms,
     [](const Place& p) { return p.item() == "stencil"; }},
    {"<", 0, kDue<primary>, "a vector is written 'vector 3 of real'"},
    {"|", 0, kDue<primary>, "write 'abs(x)'"},
    {";", 0, kDue<bracket_close>, "dimensions are separated by ','"},
    {"", 0, kDue<bracket_close>, "offsets are separated by ','",
     [](const Place& p) { return is_number(p.token()) && is_number(p.back()); }},
    {",", 0, kDue<paren_close>, "write several values in braces: '{1, 2}'",
     [](const Place& p) { return p.item() == "table"; }},
    {",", 0, kDue<end, grammar::let_end, grammar::piece_end, grid_end>,
     "the decimal sign is a point, as in 1.5",
     [](const Place& p) {
       return is_number(p.back()) && is_digit(p.byte_before()) && is_digit(p.byte_behind());
     }},
    {",", 0, kDue<colon>, "declare each param as a separate item",
     [](const Place& p) { return p.item() == "param"; }},
    {"", 0, kOperator, "a function is called with parentheses, as in 'sin(x)'",
     [](const Place& p) {
       return p.is_operand() &&
              is_one_of(
                  "sqrt exp log sin cos tan tanh asin acos atan sinh cosh abs floor ceil round "
                  "trunc sign",
                  p.back());
     }},
    {"x X", 0, kDue<grid_end, box_close>, kBox},
    {"[", 0, kDue<grid_end>, kBox},
    {"", 0, kDue<grammar::plain_box>, kBox},
    {"", 0, kDue<argument_open>, "a function has no type: 'function f(x) = expression;'",
     [](const Place& p) { return is_one_of(kTypes, p.back()); }},
    {"", 0, kDue<argument_close>, kArgument,
     [](const Place& p) { return is_one_of(kTypes, p.back()); }},
    {"field", 0, kDue<argument_name>, kArgument},
    {"return", 0, kAnything, "write '= expression;' instead of 'return expression;'",
     [](const Place& p) { return p.item() == "function"; }},
    {"real float double half bfloat integer long byte ubyte short ushort bool", 0, kDue<colon>,
     "write ':' before the type"},
    {"", 0, kDue<colon>, kThreeStencilForms, [](const Place& p) { return p.item() == "stencil"; }},
    {"", 0, kDue<colon>, "a table is written 'table w : real[3] = {1, 2, 3};'",
     [](const Place& p) { return p.item() == "table"; }},
    {"", 0, kDue<colon>, "a field is written 'field A : real on G;'",
     [](const Place& p) { return p.item() == "field"; }},
    {"", 0, kDue<colon>, "a param is written 'param N : integer = 16;'",
     [](const Place& p) { return p.item() == "param" && is_number(p.token()); }},
    {"", 0, kDue<grammar::keyword<grammar::of_>>, "a vector is written 'vector 3 of real'",
     [](const Place& p) { return p.has_before("vector"); }},
    {"", 0, kDue<grammar::keyword<grammar::of_>>,
     "a sub-grid is written 'subgrid S of G = [1..N-2];'",
     [](const Place& p) { return p.item() == "subgrid"; }},
    {"", 0, kDue<primary>, "the value beyond the edge follows: 'boundary constant 0'",
     [](const Place& p) { return p.back() == "constant" && is_one_of("; , ] ..", p.token()); }},
    {"", 0, kDue<primary>, "the value of the edge point follows: 'boundary fixed 0'",
     [](const Place& p) { return p.back() == "fixed" && is_one_of("; , ] ..", p.token()); }},
    {"", 0, kDue<primary>,
     "the derivative along the outward normal follows: 'boundary mirror gradient 0'",
     [](const Place& p) {
       return p.back() == "gradient" && p.back(2) == "mirror" && is_one_of("; , ] ..", p.token());
     }},
    {"", 0, kDue<primary>, "the derivative along the outward normal follows: 'boundary gradient 0'",
     [](const Place& p) { return p.back() == "gradient" && is_one_of("; , ] ..", p.token()); }},
    {"", 0, kDue<end>, "write 'boundary constant 0' for the value beyond the edge",
     [](const Place& p) {
       return p.item() == "field" && p.back() == "constant" && is_number(p.token());
     }},
    {"0", 0, kDue<grammar::level_sign>, "the newest level has no '@'"},
    {"", 0, kDue<grammar::level_sign>,
     "a stencil gives the new level; '@-1' is the level before the newest"},
    {"", 0, kDue<grammar::level_text>, "the number of steps must be a literal, as in 'A@-1'"},
    {"", 0, kOperator, "only the next finer and the next coarser level can be read",
     [](const Place& p) {
       return p.is_word() && is_direction(p.back()) && is_direction(p.back(2));
     }},
    {"", 0, kOperator, "the name of a field follows: 'fine u[0]'",
     [](const Place& p) { return p.is_operand() && is_direction(p.back()); }},
    {"{", 0, kDue<grammar::item_name>, "write 'cycle v { smooth; }'",
     [](const Place& p) { return p.item() == "cycle"; }},
    {"when", 0, kDue<grammar::step_block, grammar::start_block>, "write 'stop when condition;'"},
    {"=", 0, kDue<grammar::then_block>, kEquality},
    {"stencil", 0, kStatement,
     "declare the stencil function outside of the block, and apply it by its name: 'smooth;'"},
    {";", 0, kStatement, "a block ends with '}' alone, and a statement cannot be empty"},
    {"= [ : @ .", 0, kDue<grammar::apply_end>,
     "a statement applies a stencil function, a reduction or a cycle by its name: 'smooth;'"},
};

// --- Hints that quote the program ----------------------------------------------------------------

using Made = std::string;

// Matches: param real a, field int A.
Made type_ahead_of_name(const Place& p) {
  constexpr std::string_view kOwn = "real float double half bfloat integer long";
  constexpr std::string_view kOfFields = "byte ubyte short ushort bool";
  if (!p.is_due(kDue<colon>) || !p.is_word() || !is_one_of(kTypes, p.back())) return "";
  const bool of_field = p.item() == "field" && is_one_of(kOfFields, p.back());
  const std::string_view type = of_field || is_one_of(kOwn, p.back()) ? p.back() : "integer";
  if (p.item() == "param") {
    return fmt::format("the type follows the name: 'param {} : {}'", p.token(), type);
  }
  if (p.item() != "field") return "";
  return fmt::format("the type follows the name: 'field {} : {} on G;'", p.token(), type);
}

// Matches: param N = 32;
Made param_without_type(const Place& p) {
  if (!p.is_due(kDue<colon>) || p.item() != "param" || p.token() != "=") return "";
  if (!is_number(p.next()) || p.next(2) != ";") {
    return "the type comes before the value: 'param N : integer = 16;'";
  }
  const bool whole = std::all_of(p.next().begin(), p.next().end(), is_digit);
  return fmt::format("the type comes before the value: 'param {} : {} = {};'", p.back(),
                     whole ? "integer" : "real", p.next());
}

// Matches: { y = 2*x; = y; }
Made let_without_word(const Place& p) {
  if (!p.is_due(kDue<grammar::function_value>) || !p.is_word() || p.next() != "=") return "";
  return fmt::format("a local value begins with 'let': 'let {} = ...;'", p.token());
}

// The boundary rule that begins k tokens after the place, with its value if that is a number.
std::string rule_at(const Place& p, int k) {
  const std::string_view text = p.text_from(k);
  const auto rule = boundary_at(text);
  if (!rule) return std::string(p.next(k));
  const BoundaryRow& row = row_of(rule->kind);
  if (!row.takes_value()) return std::string(row.keyword);
  const Token value = token_at(text, rule->length);
  const bool number = value.kind == TokenKind::Number;
  return fmt::format(
      "{} {}", row.keyword,
      number ? text.substr(value.span.begin, value.span.end - value.span.begin) : "0");
}

// "'constant c', 'gradient g' and 'fixed c'"
std::string rules_with_value() {
  std::vector<std::string> rules;
  for (const BoundaryRow& row : kBoundaryRows) {
    if (row.takes_value()) rules.push_back(fmt::format("'{} {}'", row.keyword, row.value_name()));
  }
  const std::string last = rules.back();
  rules.pop_back();
  return fmt::format("{} and {}", fmt::join(rules, ", "), last);
}

// Matches: boundary clamp .. mirror; boundary clamp, mirror; boundary fixed 1 gradient 2;
// boundary [clamp mirror]; boundary clamp 1.
Made second_rule(const Place& p) {
  const auto written = p.since("boundary");
  if (written.empty() || !p.is_due(kDue<end, grammar::series_end, grammar::boundary_close>)) {
    return "";
  }
  if (is_number(p.token()) && is_boundary_word(p.back())) {
    if (p.back(2) == "gradient") return fmt::format("write 'mirror gradient {}'", p.token());
    return fmt::format("'{}' takes no value; {} take one", p.back(), rules_with_value());
  }
  const bool two = is_boundary_word(p.token());
  if (written.front() == "[") {
    return two ? "write '..' between the rules of the two sides, or ',' between those of two "
                 "dimensions"
               : "";
  }
  const bool ends = std::any_of(written.begin() + 1, written.end(), [](std::string_view token) {
    return is_one_of("history along constant", token);
  });
  if (ends || !(two || is_one_of(".. ,", p.token()))) return "";
  if (!two && !is_boundary_word(p.next())) return "";
  const char* const begin = written.front().data();
  const std::string_view first(
      begin, static_cast<size_t>(written.back().data() + written.back().size() - begin));
  constexpr size_t kMostQuoted = 40;
  if (first.size() > kMostQuoted || first.find_first_of("\r\n/") != std::string_view::npos)
    return "";
  const std::string second = rule_at(p, two ? 0 : 1);
  const std::string sides = fmt::format("'boundary [{} .. {}]'", first, second);
  const std::string dimensions = fmt::format("'boundary [{}, {}]'", first, second);
  if (two) {
    return fmt::format("the rules of two sides or dimensions are written in brackets: {} or {}",
                       sides, dimensions);
  }
  if (p.token() == ",") {
    return "the rules of the dimensions are written in brackets: " + dimensions;
  }
  return "the rules of two sides are written in brackets, with an entry for each dimension: " +
         sides;
}

// Matches: field A : real on G periodic;
Made rule_without_word(const Place& p) {
  if (!p.is_due(kDue<end, grammar::series_end>) || !is_boundary_word(p.token())) return "";
  if (!p.since("boundary").empty()) return "";
  return fmt::format("write 'boundary {}'", rule_at(p, 0));
}

// Matches: boundary = periodic, boundary(periodic).
Made boundary_as_attribute(const Place& p) {
  const bool due = p.is_due(kDue<grammar::boundary_rules, grammar::boundary_kind>);
  if (!due || !is_one_of("= : (", p.token())) return "";
  if (std::string foreign = hint_for_boundary(p.text_from(1)); !foreign.empty()) return foreign;
  const auto rule = boundary_at(p.text_from(1));
  if (rule && row_of(rule->kind).takes_value()) {
    return fmt::format("the rule follows without a sign: 'boundary {}'", rule_at(p, 1));
  }
  return fmt::format("write the rule directly after the word: 'boundary {}'",
                     rule ? row_of(rule->kind).keyword : "clamp");
}

// Matches: a .gt. b, a .and. b, .not. a
Made operator_in_dots(const Place& p) {
  constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
      {"gt", ">"},    {"ge", ">="}, {"lt", "<"},      {"le", "<="},      {"eq", "=="},
      {"ne", "!="},   {"GT", ">"},  {"GE", ">="},     {"LT", "<"},       {"LE", "<="},
      {"EQ", "=="},   {"NE", "!="}, {"and", "and"},   {"or", "or"},      {"not", "not"},
      {"AND", "and"}, {"OR", "or"}, {"true", "true"}, {"false", "false"}};
  std::string_view word;
  if (p.is_due(kDue<member_name>) && p.back() == "." && p.back(3) == ".") word = p.back(2);
  if (p.is_due(kDue<member_name>) && p.back() == "." && p.next() == ".") word = p.token();
  if (p.is_due(kDue<primary>) && p.token() == "." && p.next(2) == ".") word = p.next();
  for (const auto& [dotted, written] : kOperators) {
    if (dotted == word) return fmt::format("write '{}'", written);
  }
  return "";
}

// Matches: f = lambda x: x; double f(double x) { ... }; double A[100];
Made declaration_of_another_language(const Place& p) {
  if (!p.is_due(kDue<grammar::item>) || !p.is_word()) return "";
  if (p.next() == "=" && p.next(2) == "lambda") {
    return fmt::format("write 'function {}(x) = expression;'", p.token());
  }
  if (!is_one_of(kTypes, p.token()) || is_one_of(kTypes, p.next())) return "";
  if (p.next(2) == "(") return fmt::format("write 'function {}(x) = expression;'", p.next());
  return p.next(2) == "[" ? fmt::format("write 'field {} : real on G;'", p.next()) : "";
}

// Matches: step v; coarser smooth; else smooth;
Made statement_without_braces(const Place& p) {
  const bool due = p.is_due(
      kDue<grammar::cycle_block, grammar::step_block, grammar::start_block, grammar::coarser_block,
           grammar::repeat_block, grammar::then_block, grammar::else_form>);
  if (!due || !p.is_word() || p.next() != ";") return "";
  return fmt::format("statements stand in braces: '{{ {}; }}'", p.token());
}

// Matches: smooth(); coarse { v; } elif level == 1 { v; } for 3 { v; }
Made misspelt_statement(const Place& p) {
  if (!p.is_due(kDue<grammar::apply_end>)) return "";
  if (p.token() == "(" && p.next() == ")") return fmt::format("write '{};'", p.back());
  if (is_one_of("else elif elseif elsif", p.back())) return "write '} else if condition {'";
  if (is_one_of("for while do loop times", p.back())) return "write 'repeat 3 { smooth; }'";
  if (is_one_of("fine finer", p.back()) && p.token() == "{") {
    return "the end of 'coarser { ... }' returns to the finer level";
  }
  if (p.token() != "{" && !p.is_operand()) return "";
  const std::string meant = nearest_name(std::string(p.back()), {"repeat", "if", "coarser"});
  return meant.empty() || meant == p.back() ? "" : fmt::format("did you mean '{}'?", meant);
}

// Matches letters with accents, and Greek and Cyrillic letters.
Made letter_of_no_name(const Place& p) {
  const std::string_view token = p.token();
  if (token.size() != 2 || static_cast<unsigned char>(token[0]) < 0xC2) return "";
  const int code = (static_cast<unsigned char>(token[0]) & 0x1F) << 6 |
                   (static_cast<unsigned char>(token[1]) & 0x3F);
  const bool letter = (code >= 0xC0 && code <= 0x24F) || (code >= 0x370 && code <= 0x52F);
  return letter ? "names have the letters a to z and A to Z, digits and '_'" : "";
}

constexpr Made (*kMade[])(const Place&) = {type_ahead_of_name,
                                           param_without_type,
                                           let_without_word,
                                           boundary_as_attribute,
                                           second_rule,
                                           rule_without_word,
                                           operator_in_dots,
                                           declaration_of_another_language,
                                           statement_without_braces,
                                           misspelt_statement};

}  // namespace

std::string hint_for_foreign_token(const Stumble& stumble) {
  const Place place(stumble);
  for (const auto make : kMade) {
    if (std::string hint = make(place); !hint.empty()) return hint;
  }
  for (const TokenRow& row : kTokens) {
    if (!row.tokens.empty() && !is_one_of(row.tokens, place.token())) continue;
    if (row.before != 0 && row.before != place.byte_before()) continue;
    if (place.is_due(row.due) && (!row.where || row.where(place))) return std::string(row.hint);
  }
  return letter_of_no_name(place);
}

std::string hint_for_foreign_number(std::string_view number, std::string_view rest,
                                    std::string_view behind) {
  const auto all = [](std::string_view digits, auto test) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), test);
  };
  const std::string_view tail = rest.substr(1), begin = number.substr(0, 2);
  const bool bare = number == "0";  // no digit follows the letter
  if (is_one_of("0x 0X", begin) || (bare && is_one_of("x X", rest.substr(0, 1)))) {
    return "hexadecimal digits are 0 to 9 and a to f";
  }
  if (is_one_of("0b 0B", begin) || (bare && is_one_of("b B", rest.substr(0, 1)))) {
    return "binary digits are 0 and 1";
  }
  if (bare && is_one_of("o O", rest.substr(0, 1))) {
    return "numbers are decimal, hexadecimal (0x1F) or binary (0b101)";
  }
  if (rest == "e" || rest == "E") return "an exponent has digits, as in 1e-6";
  const bool sign =
      behind.size() > 1 && is_one_of("+ -", behind.substr(0, 1)) && is_digit(behind[1]);
  if (is_one_of("d D q Q", rest.substr(0, 1)) && (all(tail, is_digit) || (tail.empty() && sign))) {
    return fmt::format(
        "an exponent is written with 'e': {}e{}", number,
        tail.empty() ? behind.substr(0, behind.find_first_not_of("0123456789", 1)) : tail);
  }
  if (rest[0] == '_' && all(tail, [](char c) { return is_digit(c) || c == '_'; })) {
    return "digits are written without '_' between them";
  }
  constexpr std::string_view kSuffixes =
      "f F l L u U ul UL lu LU ll LL ull ULL h H d D df DF lf LF f32 f64 i32 i64";
  if (is_letter(rest[0]) && !is_one_of(kSuffixes, rest)) {
    return fmt::format("an operator is missing: {}*{}", number, rest);
  }
  return "numbers have no suffix: the context determines their type";
}

}  // namespace stencil
