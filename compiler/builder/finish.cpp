// Turns the calls to a Builder into a program.
//
// The calls build a syntax tree. The tree is written as text, and the text is parsed again. Spans
// in the rest of the compiler therefore refer to a text that messages can show. Messages also name
// the C++ call. The parser enforces its rules (reserved words, nesting limits), so they are not
// repeated here. The program always agrees with its text.
#include <fmt/format.h>

#include "compiler/builder/access.h"
#include "compiler/builder/parts.h"
#include "compiler/sema/analyze.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/write.h"

namespace stencil {

namespace {

using dsl::detail::Built;

dsl::Place place_in(const std::vector<Built::Statement>& statements, Span span) {
  dsl::Place place;
  for (const Built::Statement& statement : statements) {
    if (statement.text.begin <= span.begin && span.begin < statement.text.end) {
      // Parts come after their statement, so the last match is the innermost.
      place = statement.place;
    }
  }
  return place;
}

std::string render_at(const Source& source, const Diagnostic& diagnostic, dsl::Place place) {
  std::string text = render(source, diagnostic);
  if (place.line > 0) text += fmt::format("      = written at {}:{}\n", place.file, place.line);
  return text;
}

BuildMessage message(const Diagnostic& diagnostic, dsl::Place place, std::string text) {
  return {diagnostic.severity == Severity::Error,
          diagnostic.code,
          diagnostic.message,
          diagnostic.hint,
          place.file,
          place.line,
          std::move(text)};
}

}  // namespace

const Source& source_of(const BuiltProgram& program) {
  return dsl::Access::built(program).source;
}
const ast::Program& syntax_of(const BuiltProgram& program) {
  return dsl::Access::built(program).syntax;
}

dsl::Place place_of(const BuiltProgram& program, Span span) {
  return span.valid() ? place_in(dsl::Access::built(program).statements, span) : dsl::Place{};
}

std::string render(const BuiltProgram& program, const Diagnostic& diagnostic) {
  return render_at(source_of(program), diagnostic, place_of(program, diagnostic.span));
}

std::string render(const BuiltProgram& program, const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.items()) text += render(program, diagnostic);
  return text;
}

namespace dsl {

namespace {

using detail::State;

// Collects all misuse, including bodies that were begun but not completed.
std::vector<State::Misuse> misuse(const State& state) {
  std::vector<State::Misuse> found = state.misuses;
  const auto incomplete = [&](const ast::Item& item, std::string what, std::string hint) {
    found.push_back({*detail::problem("P023", std::move(what), std::move(hint)),
                     state.places[item.span.begin]});
  };
  for (const ast::Item& item : state.program.items) {
    const auto* function = std::get_if<ast::Function>(&item.kind);
    if (function && !function->value) {
      incomplete(item, fmt::format("function '{}' has no value", function->name.name),
                 "give it one with value()");
    }
    const auto* cycle = std::get_if<ast::Cycle>(&item.kind);
    if (cycle && !cycle->body.span.valid()) {
      incomplete(item, fmt::format("cycle '{}' has no body", cycle->name.name),
                 "give it one with body()");
    }
    const auto* stencil = std::get_if<ast::Stencil>(&item.kind);
    if (stencil && stencil->pieces.empty()) {
      incomplete(item, fmt::format("stencil '{}' has no piece", stencil->name.name),
                 "add one with piece()");
    }
  }
  return found;
}

}  // namespace

BuildResult Builder::finish(const FinishOptions& options) const {
  const State& state = *state_;
  BuildResult result;
  for (const State::Misuse& found : misuse(state)) {
    const std::string where = fmt::format("{}:{}", found.place.file, found.place.line);
    result.messages.push_back(
        message(found.diagnostic, found.place, render(Source(where, ""), found.diagnostic)));
  }
  if (!result.messages.empty()) return result;

  Written written = write(state.program);
  auto built = std::make_shared<detail::Built>(detail::Built{
      state.name, Source(fmt::format("<{}>", state.name), std::move(written.text)), {}, {}});
  for (const Written::Statement& statement : written.statements) {
    built->statements.push_back({statement.text, state.places[statement.node.begin]});
  }

  Diagnostics diagnostics;
  std::optional<ast::Program> syntax = parse(built->source, diagnostics);
  if (syntax && options.analyse) {
    ProgramOptions program_options;
    program_options.name = state.name;
    program_options.definitions = options.definitions;
    analyze(*syntax, built->source, program_options, diagnostics);
  }
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    const Place place =
        diagnostic.span.valid() ? place_in(built->statements, diagnostic.span) : Place{};
    result.messages.push_back(
        message(diagnostic, place, render_at(built->source, diagnostic, place)));
  }
  if (diagnostics.has_errors()) return result;
  built->syntax = std::move(*syntax);
  result.program = Access::program(std::move(built));
  return result;
}

std::string BuildResult::report() const {
  std::string all;
  for (const BuildMessage& message : messages) all += message.text;
  return all;
}

const std::string& BuiltProgram::name() const {
  return built_->name;
}
const std::string& BuiltProgram::text() const {
  return built_->source.text();
}

}  // namespace dsl

}  // namespace stencil
