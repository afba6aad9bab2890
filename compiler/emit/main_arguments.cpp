// The command line of an emitted program: options that all have, and NAME=value for its params.
#include "compiler/emit/main_arguments.h"

#include <fmt/format.h>

#include "compiler/emit/expression.h"

namespace stencil::emit {

namespace {

using kernel::Parameter;

bool is_open(const Parameter& parameter) {
  return !parameter.integer_default && !parameter.real_default;
}

std::string default_text(const Parameter& parameter) {
  if (is_float(parameter.type)) {
    return real_literal(parameter.real_default.value_or(0), arithmetic_type(parameter.type),
                        cpp_dialect());
  }
  return std::to_string(parameter.integer_default.value_or(0));
}

// usage(): what the command line takes.
void usage(Text& out, const kernel::Plan& plan) {
  out.open("static void usage(const char* program) {");
  out.line("fprintf(stderr,");
  out.line(
      "        \"usage: %s [--steps n] [--repeat n] [--random] [--no-check] [--check-steps n]\"");
  out.line("        \" [NAME=value ...]\\n\",");
  out.line("        program);");
  for (const Parameter& parameter : plan.parameters) {
    std::string value = is_open(parameter) ? "must be given" : "default " + default_text(parameter);
    if (!is_open(parameter) && value.back() == 'f') value.pop_back();
    out.line(fmt::format("fprintf(stderr, \"  {}: {}, {}\\n\");", parameter.name,
                         name(parameter.type), value));
  }
  out.close();
  out.blank();
}

// The branch of parse() that reads NAME=value, a member of `type`.
std::string parameter_branch(const Parameter& parameter, const std::string& type) {
  const size_t length = parameter.name.size() + 1;
  std::string text =
      fmt::format("    }} else if (strncmp(word, \"{}=\", {}) == 0) {{\n", parameter.name, length);
  if (is_float(parameter.type)) {
    text += fmt::format(
        "      double real = 0;\n"
        "      good = read_real(word + {}, &real);\n"
        "      a.p_{} = ({})real;\n",
        length, parameter.name, type);
  } else {
    const char* limits =
        parameter.type == Scalar::I64 ? "INT64_MIN, INT64_MAX" : "INT32_MIN, INT32_MAX";
    text += fmt::format(
        "      good = read_integer(word + {}, {}, &number);\n"
        "      a.p_{} = ({})number;\n",
        length, limits, parameter.name, type);
  }
  if (is_open(parameter)) text += fmt::format("      a.has_{} = good;\n", parameter.name);
  return text;
}

}  // namespace

void main_arguments(Text& out, const kernel::Plan& plan, const HostApi& api) {
  out.comment("What the command line sets.");
  out.open("struct arguments {");
  out.line("int64_t steps = -1;        // -1: the program's own number");
  out.line("int64_t check_steps = -1;  // -1: enough for two launches and a remainder");
  out.line("int repeat = 5;");
  out.line("bool random = false;");
  out.line("bool check = true;");
  for (size_t p = 0; p < plan.parameters.size(); ++p) {
    const Parameter& parameter = plan.parameters[p];
    out.line(fmt::format("{} p_{} = {};", api.parameter_type(static_cast<int>(p)), parameter.name,
                         default_text(parameter)));
    if (is_open(parameter)) out.line(fmt::format("bool has_{} = false;", parameter.name));
  }
  out.close("};");
  out.blank();
}

void main_parser(Text& out, const kernel::Plan& plan, const HostApi& api) {
  usage(out, plan);
  std::string text = R"(static bool parse(int count, char** words, arguments& a) {
  for (int i = 1; i < count; ++i) {
    const char* word = words[i];
    const char* next = i + 1 < count ? words[i + 1] : "";
    int64_t number = 0;
    bool good = true;
    if (strcmp(word, "--random") == 0) {
      a.random = true;
    } else if (strcmp(word, "--no-check") == 0) {
      a.check = false;
    } else if (strcmp(word, "--steps") == 0) {
      good = read_integer(next, 0, INT64_MAX, &a.steps);
      ++i;
    } else if (strcmp(word, "--check-steps") == 0) {
      good = read_integer(next, 0, INT64_MAX, &a.check_steps);
      ++i;
    } else if (strcmp(word, "--repeat") == 0) {
      good = read_integer(next, 1, max_repeat, &number);
      a.repeat = (int)number;
      ++i;
)";
  for (size_t p = 0; p < plan.parameters.size(); ++p) {
    text += parameter_branch(plan.parameters[p], api.parameter_type(static_cast<int>(p)));
  }
  text += R"(    } else {
      good = false;
    }
    if (!good) {
      const bool option = strncmp(word, "--", 2) == 0;
      fprintf(stderr, "cannot make sense of '%s%s%s'\n", word, option ? " " : "", option ? next : "");
      return false;
    }
  }
)";
  for (const Parameter& parameter : plan.parameters) {
    if (!is_open(parameter)) continue;
    text += fmt::format(
        "  if (!a.has_{0}) {{\n"
        "    fprintf(stderr, \"{0} has no default: give {0}=value\\n\");\n"
        "    return false;\n"
        "  }}\n",
        parameter.name);
  }
  out.verbatim(text + "  return true;\n}\n\n");
}

}  // namespace stencil::emit
