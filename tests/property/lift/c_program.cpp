// When a step begins, buffer 0 of a field holds the newest level, and buffer l the level of l steps
// ago.
// The first function in a step that writes a field with several buffers fills the last buffer. At
// the end of the step the buffers change roles. Other functions write in place if they read no
// other point that they write. Otherwise they write to a temporary array and copy it back.
#include "tests/property/lift/c_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/property/lift/c_writer.h"

namespace stencil::property {

CStyle random_style(Random& random) {
  CStyle style;
  style.layout = static_cast<Layout>(random.weighted({25, 15, 25, 10, 10, 15}));
  style.turns = static_cast<Turns>(random.weighted({45, 30, 25}));
  style.packing = static_cast<Packing>(random.weighted({40, 40, 20}));
  style.buffered = random.chance(50);
  style.oldest = random.chance(60);
  style.chain = random.chance(50);
  style.in_place = random.chance(60);
  style.shifted = random.chance(30);
  style.helpers = random.chance(40);
  style.restricted = random.chance(30);
  style.pragmas = random.chance(30);
  style.time = random.below(4);
  return style;
}

std::string describe(const CStyle& style) {
  static const char* const kLayouts[] = {"lengths", "rows", "linear", "vector", "span", "mdspan"};
  static const char* const kTurns[] = {"swap", "parity", "shift"};
  static const char* const kPacking[] = {"apart", "first", "last"};
  return fmt::format("{} {} {}{}{}{}{}{}{}", kLayouts[static_cast<int>(style.layout)],
                     kTurns[static_cast<int>(style.turns)],
                     kPacking[static_cast<int>(style.packing)], style.buffered ? " buffered" : "",
                     style.oldest ? " oldest" : "", style.chain ? " chain" : "",
                     style.in_place ? " in-place" : "", style.shifted ? " shifted" : "",
                     style.helpers ? " helpers" : "");
}

CLevel CProgram::place(int field, int component, int level, int64_t steps) const {
  const FieldPlaces& of = fields[field];
  int64_t buffer = level;
  if (of.moves && of.turns != Turns::Shift && !of.contents) {
    buffer = ((level - steps) % of.buffers + of.buffers) % of.buffers;
  }
  // If all buffers are in one array, buffer 0 is in buffer slot 0 before the first step.
  if (of.moves && of.turns == Turns::Parity) {
    CLevel out = of.places[0][component];
    out.before[0] = (of.buffers - buffer) % of.buffers;
    return out;
  }
  return of.places[buffer][component];
}

int CWriter::buffer_of(ir::FieldId id, int level) const {
  const FieldState& state = states_[id];
  if (!state.moves || !state.advanced) return level;
  return level == 0 ? state.buffers - 1 : level - 1;
}

// Whether a point reads the newest level of a field that the function writes at another point.
bool CWriter::reads_beside(const ir::Function& function) const {
  for (const ir::Piece& piece : function.pieces) {
    for (const ir::Node& node : piece.graph.nodes()) {
      const auto* access = std::get_if<ir::Access>(&node.kind);
      if (access == nullptr || !ir::writes(function, access->field) || access->level != 0) continue;
      if (access->escapes != 0 || !access->at_point()) return true;
    }
  }
  return false;
}

std::string CWriter::function(const ir::Function& function) {
  const ir::Box& box = ir::target_box(program_, function);
  home_ = box;
  const bool beside = reads_beside(function) || !style_.in_place;
  const bool covered = function.pieces.size() == 1 && function.pieces[0].region == box;
  std::vector<Target> targets;
  std::vector<std::pair<Target, Target>> keeps, back;  // {to, from}
  bool fills = false;
  for (const ir::Output& output : ir::outputs(program_, function)) {
    const FieldState& state = states_[output.field];
    const int present = buffer_of(output.field, 0);
    const Target newest{output.field, output.component, output.type, present, -1};
    Target target = newest;
    if (state.moves && !state.advanced) {
      target.buffer = state.buffers - 1;
      keeps.emplace_back(target, newest);
      fills = true;
    } else if (beside) {
      target.temporary = temporary(output.field, output.component);
      back.emplace_back(newest, target);
    }
    targets.push_back(target);
  }
  std::string out;
  const std::string pad(4 + 2 * box.ranges.size(), ' ');
  if (style_.chain && !covered) {
    std::string body;
    for (const ir::Piece& piece : function.pieces) {
      const std::string test = condition(box, piece.region);
      body +=
          fmt::format("{}if ({}) {{\n", body.empty() ? pad : " else ", test.empty() ? "1" : test);
      body += this->piece(piece, targets, pad + "  ") + pad + "}";
    }
    if (!keeps.empty()) {
      body += " else {\n";
      for (const auto& [to, from] : keeps)
        body += fmt::format("{}  {} = {};\n", pad, stored(to), stored(from));
      body += pad + "}";
    }
    out += nest(box, body + "\n");
  } else {
    if (fills && !covered) out += copy(box, keeps);
    for (const ir::Piece& piece : function.pieces) {
      out += nest(piece.region, this->piece(piece, targets, pad));
    }
  }
  if (!back.empty()) {
    for (const ir::Piece& piece : function.pieces) out += copy(piece.region, back);
  }
  for (const ir::FieldId id : function.targets) states_[id].advanced = true;
  return out;
}

std::string CWriter::step() {
  std::string out;
  append(program_.run.body, out);
  return out;
}

void CWriter::append(const ir::Sequence& sequence, std::string& out) {
  for (const ir::Step& step : sequence) {
    if (const auto* apply = std::get_if<ir::Apply>(&step.kind)) {
      out += function(program_.functions[apply->function]);
    } else if (const auto* repeat = std::get_if<ir::Repeat>(&step.kind)) {
      for (int64_t i = 0; i < repeat->iterations; ++i) append(repeat->body, out);
    }
  }
}

// Makes the last buffer the first one.
std::string CWriter::turn(ir::FieldId id) {
  const FieldState& state = states_[id];
  const CProgram::FieldPlaces& places = out_.fields[id];
  const int last = state.buffers - 1;
  std::string out;
  if (style_.turns == Turns::Shift) {
    home_ = program_.fields[id].box;
    const auto& components = program_.fields[id].components;
    for (int b = last - 1; b >= 0; --b) {
      std::vector<std::pair<Target, Target>> pairs;
      for (size_t c = 0; c < components.size(); ++c) {
        const Target to{id, static_cast<int>(c), components[c].type, b, -1};
        Target from = to;
        from.buffer = b == 0 ? last : b - 1;
        pairs.emplace_back(to, from);
      }
      out += copy(home_, pairs);
    }
    return out;
  }
  if (style_.turns == Turns::Parity) return "";
  std::set<int> done;
  for (size_t c = 0; c < places.places[0].size(); ++c) {
    const auto name = [&](int b) -> const std::string& {
      return out_.arrays[places.places[static_cast<size_t>(b)][c].array].name;
    };
    const int array = places.places[0][c].array;
    if (!done.insert(array).second) continue;
    if (style_.layout == Layout::Vector || style_.layout == Layout::Span) {
      for (int b = last; b > 0; --b)
        out += fmt::format("    std::swap({}, {});\n", name(b), name(b - 1));
      continue;
    }
    const std::string spare = fmt::format("s{}_{}", id, c);
    out += style_.layout == Layout::Mdspan
               ? fmt::format("    auto {} = {};\n", spare, name(last))
               : fmt::format("    {} = {};\n", pointer_to(out_.arrays[array], spare), name(last));
    for (int b = last; b > 0; --b) out += fmt::format("    {} = {};\n", name(b), name(b - 1));
    out += fmt::format("    {} = {};\n", name(0), spare);
  }
  return out;
}

std::string CWriter::turns() {
  std::string out;
  for (size_t f = 0; f < states_.size(); ++f) {
    if (states_[f].moves && states_[f].advanced) out += turn(static_cast<int>(f));
  }
  return out;
}

std::string CWriter::time_loop(const std::string& body) const {
  switch (style_.time) {
    case 1:
      return fmt::format("  int t = 0;\n  while (t < steps) {{\n{}    t++;\n  }}\n", body);
    case 2:
      return fmt::format("  for (int t = 1; t <= steps; t++) {{\n{}  }}\n", body);
    default:
      return fmt::format("  for (int t = 0; t < steps; {}) {{\n{}  }}\n",
                         style_.time == 0 ? "t++" : "t += 1", body);
  }
}

std::string CWriter::helpers() const {
  std::string out = style_.cpp() ? "#include <algorithm>\n#include <cmath>\n#include <utility>\n"
                                 : "#include <math.h>\n#include <stdlib.h>\n";
  if (style_.layout == Layout::Vector) out += "#include <vector>\n";
  if (style_.layout == Layout::Span) out += "#include <span>\n";
  if (style_.layout == Layout::Mdspan) out += "#include \"tests/property/lift/mdspan.h\"\n";
  if (style_.helpers) {
    out +=
        "static inline int wrapped(int i, int n) { return (i % n + n) % n; }\n"
        "static inline int clamp_low(int i) { return i < 0 ? 0 : i; }\n"
        "static inline int clamp_high(int i, int n) { return i < n ? i : n - 1; }\n"
        "static inline int mirror_low(int i) { return i < 0 ? -i : i; }\n"
        "static inline int mirror_high(int i, int n) { return i < n ? i : 2 * (n - 1) - i; }\n";
  }
  return out;
}

CProgram CWriter::run() {
  make_arrays();
  check();
  std::string body = step();
  body += turns();
  out_.text = helpers() + "void step(" + parameters() + ") {\n" + time_loop(body) + "}\n";
  out_.extension = style_.cpp() ? ".cpp" : ".c";
  out_.params.resize(program_.params.size());
  for (const int p : used_) {
    out_.params[p] = names_[p];
  }
  return std::move(out_);
}

std::variant<CProgram, Unsayable> write_c(const ir::Program& program, const CStyle& style,
                                          const std::vector<int64_t>& integers, int64_t steps,
                                          uint64_t seed) {
  try {
    return CWriter(program, style, integers, steps, seed).run();
  } catch (const Unsayable& unsayable) {
    return unsayable;
  }
}

}  // namespace stencil::property
