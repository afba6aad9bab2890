// Analyses small programs and prints the result as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"

namespace stencil::test {

struct Analysis {
  std::optional<ir::Program> program;
  std::string messages;  // rendered
};

inline Analysis analyze_text(const std::string& text, ProgramOptions options = {}) {
  const Source source("test.stn", text);
  Diagnostics diagnostics;
  Analysis analysis;
  options.fp = FpMode::Strict;
  analysis.program = load_program(source, options, diagnostics);
  analysis.messages = render(source, diagnostics);
  if (analysis.program) {
    for (const std::string& violation : ir::verify(*analysis.program)) ADD_FAILURE() << violation;
  }
  return analysis;
}

// Returns the program; fails the test if it has errors.
inline ir::Program program_of(const std::string& text, const ProgramOptions& options = {}) {
  Analysis analysis = analyze_text(text, options);
  EXPECT_TRUE(analysis.program) << analysis.messages;
  return analysis.program ? *analysis.program : ir::Program{};
}

// Prints a node: "add(A[-1], mul(0.5f, B@-1[0].u[1]))". Floats end in f, longs in l, doubles in d.
inline std::string expression(const ir::Program& program, const ir::Graph& graph, ir::NodeId id) {
  struct Printer {
    const ir::Program& program;
    const ir::Graph& graph;
    Scalar type;

    std::string operator()(const ir::Constant& constant) const {
      if (type == Scalar::Bool) return constant.integer ? "true" : "false";
      if (type == Scalar::I32) return std::to_string(constant.integer);
      if (type == Scalar::I64) return std::to_string(constant.integer) + "l";
      std::string text = std::to_string(constant.real);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
      return text + (type == Scalar::F32 ? "f" : "d");
    }
    std::string operator()(const ir::ParamRef& param) const {
      return program.params[param.param].name;
    }
    std::string operator()(const ir::Index& index) const {
      return fmt::format("#{}", index.dimension);
    }
    std::string operator()(const ir::Time&) const { return "time"; }
    std::string operator()(const ir::ReductionRef& reduction) const {
      const std::string& name = program.reductions[reduction.reduction].name;
      return reduction.replaced ? "replaced " + name : name;
    }
    std::string operator()(const ir::Access& access) const {
      const ir::Field& field = program.fields[access.field];
      std::string text = field.name;
      if (access.level > 0) text += "@-" + std::to_string(access.level);
      text += "[";
      for (size_t d = 0; d < access.maps.size(); ++d) {
        text += fmt::format("{}{}", d ? "," : "", access.offset(d));
      }
      return text + "]" + field.components[access.component].path;
    }
    std::string operator()(const ir::Operation& operation) const {
      std::string text(operation.op == Op::Convert ? name(type) : name(operation.op));
      for (size_t i = 0; i < operation.operands.size(); ++i) {
        text += i ? ", " : "(";
        text += expression(program, graph, operation.operands[i]);
      }
      return text + ")";
    }
  };
  return std::visit(Printer{program, graph, graph[id].type}, graph[id].kind);
}

inline std::string result(const ir::Program& program, int function = 0, int component = 0) {
  const ir::Piece& piece = program.functions.at(function).pieces.at(0);
  return expression(program, piece.graph, piece.results.at(component));
}

// What `value` becomes when stored in a field of `type`, on a 1-D periodic grid of 16 points.
inline std::string stored(const std::string& value, const std::string& type = "real",
                          const ProgramOptions& options = {}) {
  const std::string text =
      "param N : integer = 16;\n"
      "param alpha : real = 0.25;\n"
      "grid G = [0..N-1] steps 4;\n"
      "field A : real on G boundary periodic;\n"
      "field I : integer on G boundary periodic;\n"
      "field D : double on G boundary periodic;\n"
      "field T : " +
      type +
      " on G;\n"
      "stencil s : T[i in 0..N-1] = " +
      value + ";\n";
  const ir::Program program = program_of(text, options);
  return program.functions.empty() ? "" : result(program);
}

}  // namespace stencil::test
