// The command line of an emitted program: common options, and NAME=value for its params.
#include "compiler/emit/main_arguments.h"

#include <fmt/format.h>

#include "compiler/emit/expression.h"
#include "compiler/support/escape.h"

namespace stencil::emit {

namespace {

using kernel::Parameter;

// usage(): the syntax of the command line.
void usage(Text& out, const kernel::Plan& plan) {
  out.open("static void usage(const char* program) {");
  out.line("fprintf(stderr,");
  out.line("        \"usage: %s [--steps n] [--repeat n] [--random | --zeros] [--no-check]\"");
  out.line("        \" [--check-steps n] [--out ARRAY=FILE.npy] [NAME=value ...]\\n\",");
  out.line("        program);");
  for (const Parameter& parameter : plan.parameters) {
    out.line(fmt::format("fprintf(stderr, \"  %s: %s, %s\\n\", \"{}\", \"{}\", {});",
                         parameter.name, name(parameter.type),
                         string_literal(describe_default(parameter))));
  }
  out.line("fprintf(stderr, \"  arrays:\");");
  out.line("for (const char* array : array_names) fprintf(stderr, \" %s\", array);");
  out.line("fprintf(stderr, \"\\n\");");
  out.close();
  out.blank();
}

// The branch of parse() that reads NAME=value into the member of that param.
std::string parameter_branch(const Parameter& parameter, const std::string& member,
                             const std::string& type) {
  const size_t length = parameter.name.size() + 1;
  std::string text =
      fmt::format("    }} else if (strncmp(word, \"{}=\", {}) == 0) {{\n", parameter.name, length);
  if (is_float(parameter.type)) {
    return text + fmt::format(
                      "      double real = 0;\n"
                      "      good = read_real(word + {}, sizeof({}) == sizeof(float), &real);\n"
                      "      a.params.{} = ({})real;\n",
                      length, type, member, type);
  }
  const char* limits =
      parameter.type == Scalar::I64 ? "INT64_MIN, INT64_MAX" : "INT32_MIN, INT32_MAX";
  return text + fmt::format(
                    "      good = read_integer(word + {}, {}, &number);\n"
                    "      a.params.{} = ({})number;\n",
                    length, limits, member, type);
}

constexpr const char* kFindArray =
    R"(// The array named by `word`, ARRAY=FILE; -1 if there is none.
static int find_array(const char* word) {
  for (int p = 0; p < max_pointers; ++p) {
    const size_t length = strlen(array_names[p]);
    if (strncmp(word, array_names[p], length) == 0 && word[length] == '=' && word[length + 1]) {
      return p;
    }
  }
  return -1;
}

)";

}  // namespace

void main_arguments(Text& out, const kernel::Module& module, const HostApi& api) {
  out.line(fmt::format("constexpr int max_pointers = {};", api.pointers().size()));
  out.line("constexpr int max_repeat = 1000;");
  std::vector<std::string> names;
  for (const Pointer& pointer : api.pointers()) names.push_back("\"" + pointer.name + "\"");
  out.line(fmt::format("static const char* const array_names[] = {{{}}};", comma_list(names)));
  out.blank();
  out.comment("What the command line sets.");
  out.open("struct arguments {");
  out.line("int64_t steps = -1;        // -1: the program's own number");
  out.line("int64_t check_steps = -1;  // -1: enough for two launches and a remainder");
  out.line("int repeat = 5;  // 0: nothing is timed");
  out.line("bool random = false;");
  out.line("bool zeros = false;");
  out.line("bool check = true;");
  out.line("int outputs = 0;  // --out: which arrays to write where");
  out.line("int arrays[max_pointers] = {};");
  out.line("const char* paths[max_pointers] = {};");
  if (api.has_params()) {
    out.line(fmt::format("{} params = {}_default_params();", api.params_type(), module.name));
  }
  out.close("};");
  out.blank();
}

void main_parser(Text& out, const kernel::Module& module, const HostApi& api) {
  const kernel::Plan& plan = module.plan;
  usage(out, plan);
  out.verbatim(kFindArray);
  std::string text = R"(// True if the i-th option or NAME= occurs earlier; --out may.
static bool given_before(char** words, int i) {
  const size_t length = strcspn(words[i], "=");
  for (int j = 1; j < i && strcmp(words[i], "--out") != 0; ++j) {
    const bool same = strcspn(words[j], "=") == length && strncmp(words[j], words[i], length) == 0;
    if (same && strcmp(words[j - 1], "--out") != 0) return true;
  }
  return false;
}

static bool parse(int count, char** words, arguments& a) {
  for (int i = 1; i < count; ++i) {
    const char* word = words[i];
    const char* next = i + 1 < count ? words[i + 1] : "";
    int64_t number = 0;
    bool good = true;
    if (given_before(words, i)) {
      fprintf(stderr, "'%s' is given twice\n", word);
      return false;
    }
    if (strcmp(word, "--random") == 0) {
      a.random = true;
    } else if (strcmp(word, "--zeros") == 0) {
      a.zeros = true;
    } else if (strcmp(word, "--out") == 0) {
      const int array = find_array(next);
      const char* path = strchr(next, '=') ? strchr(next, '=') + 1 : next;
      const size_t length = strlen(path);
      good = array >= 0 && a.outputs < max_pointers && length > 4 &&
             strcmp(path + length - 4, ".npy") == 0;
      for (int o = 0; o < a.outputs; ++o) good = good && strcmp(a.paths[o], path) != 0;
      if (good) {
        a.arrays[a.outputs] = array;
        a.paths[a.outputs++] = path;
      }
      ++i;
    } else if (strcmp(word, "--no-check") == 0) {
      a.check = false;
    } else if (strcmp(word, "--steps") == 0) {
      good = read_integer(next, 0, INT64_MAX, &a.steps);
      ++i;
    } else if (strcmp(word, "--check-steps") == 0) {
      good = read_integer(next, 0, INT64_MAX, &a.check_steps);
      ++i;
    } else if (strcmp(word, "--repeat") == 0) {
      good = read_integer(next, 0, max_repeat, &number);
      a.repeat = (int)number;
      ++i;
)";
  for (size_t p = 0; p < plan.parameters.size(); ++p) {
    const int parameter = static_cast<int>(p);
    text += parameter_branch(plan.parameters[p], api.parameter_name(parameter),
                             api.parameter_type(parameter));
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
  text += R"(  if ((a.random && a.zeros) || (!a.check && a.check_steps >= 0)) {
    fprintf(stderr, "%s contradict each other\n",
            a.check ? "--random and --zeros" : "--no-check and --check-steps");
    return false;
  }
)";
  if (api.has_params()) {
    text += fmt::format(
        "  if (const char* error = {}_derive_params(&a.params)) {{\n"
        "    fprintf(stderr, \"%s\\n\", error);\n"
        "    return false;\n"
        "  }}\n",
        module.name);
  }
  out.verbatim(text + "  return true;\n}\n\n");
}

}  // namespace stencil::emit
