// The Fortran module of an emitted file: the declarations of the C header as interfaces of
// iso_c_binding, in Fortran 2008.
//
// Arrays with known extents have an explicit shape, so the compiler checks the number of elements
// of the actual argument. Other arrays have an assumed size. Pointers to device memory are c_ptr.
// Arguments that may be NULL in C are required: optional arguments of C functions are Fortran 2018.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/emit/box_part.h"
#include "compiler/emit/declarations.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/fortran_names.h"
#include "compiler/emit/sizes.h"

namespace stencil::emit {

namespace {

constexpr size_t kMostDimensions = 15;  // of a Fortran array

std::string_view fortran_type(Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return "logical(c_bool)";
    case Scalar::I8:
    case Scalar::U8:
      return "integer(c_int8_t)";
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::F16:
    case Scalar::BF16:
      return "integer(c_int16_t)";
    case Scalar::I32:
      return "integer(c_int)";
    case Scalar::I64:
      return "integer(c_int64_t)";
    case Scalar::F32:
      return "real(c_float)";
    case Scalar::F64:
      return "real(c_double)";
  }
  return "";
}

// What the Fortran type does not say about the elements.
std::string_view fortran_remark(Scalar type) {
  switch (type) {
    case Scalar::U8:
      return ", 8 unsigned bits: values from 128 on are negative here";
    case Scalar::U16:
      return ", 16 unsigned bits: values from 32768 on are negative here";
    case Scalar::F16:
      return ", the bits of half-precision numbers (binary16)";
    case Scalar::BF16:
      return ", the bits of bfloat16 numbers";
    default:
      return "";
  }
}

std::string_view intent(const Argument& argument) {
  return argument.input && argument.output ? "inout" : argument.output ? "out" : "in";
}

// A function of C, as Fortran declares it.
struct FunctionOfC {
  std::string name;    // in Fortran
  std::string symbol;  // in C
  std::string arguments, result, type;
};

// The interface of a function of C. `declare_arguments` prints their declarations.
template <class Declare>
void interface_of_c(Text& out, const FunctionOfC& function, Declare declare_arguments) {
  out.open("interface");
  out.open(fmt::format("function {}({}){}result({}){}bind(c, name=\"{}\")", function.name,
                       function.arguments, soft_space(0), function.result, soft_space(0),
                       function.symbol));
  out.line("import");
  declare_arguments();
  out.line(fmt::format("{} :: {}", function.type, function.result));
  out.close(fmt::format("end function {}", function.name));
  out.close("end interface");
}

class ModulePrinter {
 public:
  // `c_names`: the spelling of names in C.
  ModulePrinter(Text& out, FortranNames& names, Names& c_names)
      : out_(out),
        names_(names),
        sizes_{[&](const std::string& name) { return names_.of(c_names.spell(name)); }, true} {
    error_ = names_.fresh("error");
    defaults_ = names_.fresh("defaults");
  }

  // Functions, structures and constants keep their names in preference to arguments and members.
  void reserve(const Declarations& declarations) {
    for (const Declaration& each : declarations) {
      if (const auto* entry = std::get_if<EntryPoint>(&each)) names_.of(entry->name);
      if (const auto* structure = std::get_if<Structure>(&each)) names_.of(structure->name);
      if (const auto* halo = std::get_if<HaloWidths>(&each)) names_.of(halo->name);
      if (const auto* array = std::get_if<ArrayNote>(&each)) {
        if (!array->shape.empty()) names_.of(array->shape);
      }
      if (const auto* constants = std::get_if<Constants>(&each)) {
        for (const auto& [name, value] : constants->values) names_.of(name);
      }
    }
  }

  void print(const Declarations& declarations, const kernel::Module& module) {
    module_ = &module;
    for (const Declaration& each : declarations) std::visit(*this, each);
  }

  void operator()(const Note& note) {
    const std::string text = note.fortran.value_or(note.text);
    if (!text.empty()) out_.comment(replaced(replaced(text, "NULL", "c_null_ptr"), "\n", " "));
  }

  void operator()(const ArrayNote& array) {
    out_.comment(fmt::format("  {} :: {}{}{}{}{}", fortran_type(array.type), names_.of(array.name),
                             dimensions(array.extents), array.remark, fortran_remark(array.type),
                             also_known(array.name, ", ")));
    if (!array.shape.empty() && !array.extents.empty()) shapes_.push_back(array);
  }

  void operator()(const Structure& structure) {
    const std::string& name = names_.of(structure.name);
    out_.comment(structure.comment);
    out_.open(fmt::format("type, bind(c) :: {}", name));
    for (const Member& member : structure.members) {
      const auto* other = std::get_if<std::string>(&member.type);
      const std::string type = other ? fmt::format("type({})", names_.of(*other))
                                     : std::string(fortran_type(std::get<Scalar>(member.type)));
      const std::string size = member.elements > 0 ? fmt::format("({})", member.elements) : "";
      const std::string comment =
          member.comment + also_known(member.name, member.comment.empty() ? "" : "; ");
      out_.commented(fmt::format("{} :: {}{}", type, names_.of(member.name), size), comment);
    }
    out_.close(fmt::format("end type {}", name));
    out_.blank();
  }

  void operator()(const Constants& constants) {
    for (const auto& [name, value] : constants.values) {
      out_.line(fmt::format("integer(c_int), parameter :: {} = {}", names_.of(name), value));
    }
  }

  void operator()(const HaloWidths& halo) {
    std::vector<std::string> values;
    for (const auto& [below, above] : halo.widths) {
      values.push_back(fmt::format("{}, {}", below, above));
    }
    out_.line(fmt::format("integer(c_int), parameter :: {}(2, {}) ={}reshape([{}],{}[2, {}])",
                          names_.of(halo.name), halo.widths.size(), soft_space(0),
                          comma_list(values), soft_space(1), halo.widths.size()));
  }

  void operator()(const Gap&) {
    out_.blank();
    if (shapes_.empty()) return;
    const std::string& first = names_.of(shapes_.front().shape);
    std::vector<std::string> bounds;
    for (size_t d = 1; d <= shapes_.front().extents.size(); ++d) {
      bounds.push_back(fmt::format("{}({})", first, d));
    }
    out_.comment(fmt::format("The dimensions as constants: {} :: {}({})",
                             fortran_type(shapes_.front().type), names_.of(shapes_.front().name),
                             fmt::join(bounds, ", ")));
    for (const ArrayNote& array : shapes_) {
      out_.line(fmt::format("integer(c_int), parameter :: {}({}) ={}[{}]", names_.of(array.shape),
                            array.extents.size(), soft_space(0),
                            comma_list(reversed(array.extents))));
    }
    shapes_.clear();
    out_.blank();
  }

  void operator()(const EntryPoint& entry) {
    std::vector<std::string> arguments;
    for (const Argument& argument : entry.arguments) arguments.push_back(names_.of(argument.name));
    const std::string& name = names_.of(entry.name);
    const std::string& result = entry.result.empty() ? error_ : defaults_;
    const std::string type =
        fmt::format("type({})", entry.result.empty() ? "c_ptr" : names_.of(entry.result));
    interface_of_c(out_, {name, entry.name, comma_list(arguments), result, type}, [&] {
      for (const Argument& argument : entry.arguments) declare(argument, entry.on_device);
    });
  }

 private:
  // The sizes in Fortran's order.
  std::vector<std::string> reversed(const std::vector<kernel::Expr>& extents) const {
    std::vector<std::string> sizes;
    for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
      sizes.push_back(size_text(*module_, *extent, sizes_));
    }
    return sizes;
  }
  // "(64, 96)"; "" for a single element.
  std::string dimensions(const std::vector<kernel::Expr>& extents) const {
    return extents.empty() ? "" : fmt::format("({})", fmt::join(reversed(extents), ", "));
  }

  // The name in C, if this module needs another one.
  std::string also_known(const std::string& c_name, std::string_view before) {
    if (names_.of(c_name) == c_name) return "";
    return fmt::format("{}{} in the program", before, c_name);
  }

  void declare(const Argument& argument, bool on_device) {
    using Kind = Argument::Kind;
    const std::string& name = names_.of(argument.name);
    const std::string_view access = intent(argument);
    switch (argument.kind) {
      case Kind::Elements: {
        if (on_device) return out_.line(fmt::format("type(c_ptr), intent(in), value :: {}", name));
        const bool fixed = argument.known_extents && argument.extents.size() <= kMostDimensions;
        return out_.line(fmt::format("{}, intent({}) :: {}{}", fortran_type(argument.type), access,
                                     name, fixed ? dimensions(argument.extents) : "(*)"));
      }
      case Kind::Slots:
        return out_.line(fmt::format("type(c_ptr), intent({}) :: {}({})", access, name,
                                     names_.of(argument.slots)));
      case Kind::Value:
        return out_.line(
            fmt::format("{}, intent(in), value :: {}", fortran_type(argument.type), name));
      case Kind::Structure:
        return out_.line(
            fmt::format("type({}), intent({}) :: {}", names_.of(argument.structure), access, name));
      case Kind::Pointers:
        return out_.line(fmt::format("type(c_ptr), intent(in) :: {}(*)", name));
      case Kind::Stream:
        return out_.line(fmt::format("type(c_ptr), intent(in), value :: {}", name));
    }
  }

  Text& out_;
  FortranNames& names_;
  SizeStyle sizes_;
  const kernel::Module* module_ = nullptr;  // whose declarations are printed
  std::string error_, defaults_;            // names of results
  std::vector<ArrayNote> shapes_;           // their constants follow the list of arrays
};

void use_of_module(Text& out, const std::string& module_name, const std::string& message) {
  out.comment("");
  out.comment(fmt::format(
      "Fortran 2008: `use {0}` declares the entry points. Functions return c_null_ptr, or an error "
      "message that {1}() converts to a string. The order of indices is reversed, because the last "
      "index of the program and the first index of Fortran are contiguous: a field on "
      "[0..N-1, 0..M-1] is declared real(c_float) :: u(M, N), and u[i,j] of the program is "
      "u(j+1, i+1). Give the object file of this module a name of its own, since that of the "
      "kernels has the name of the program: -o {0}.o",
      module_name, message));
  out.blank();
}

void message_function(Text& out, const std::string& name, const std::string& length) {
  out.comment("The text of an error message; empty for c_null_ptr.");
  out.open(fmt::format("function {}(error) result(text)", name));
  out.line("type(c_ptr), intent(in) :: error");
  out.line("character(len=:), allocatable :: text");
  out.line("character(kind=c_char), pointer :: letters(:)");
  out.line("integer :: i");
  out.line("text = ''");
  out.line("if (.not. c_associated(error)) return");
  out.line(fmt::format("call c_f_pointer(error, letters, [{}(error)])", length));
  out.open("do i = 1, size(letters)");
  out.line("text = text // letters(i)");
  out.close("end do");
  out.close(fmt::format("end function {}", name));
}

}  // namespace

std::string emit_fortran_module(const kernel::Module& module, Target target, const BoxPart* box) {
  const TargetInfo& row = info(target);
  if (row.header_ending.empty()) return "";
  const Dialect& dialect = row.dialect({});
  Names c_names = Names(module, dialect).for_host(module);
  const HostApi api(module, c_names);
  const Declarations whole = declarations_of(module, api, dialect);
  const Declarations boxes = box ? box_declarations(*box, dialect) : Declarations();

  Text out(Form::Fortran);
  FortranNames names;
  ModulePrinter printer(out, names, c_names);
  printer.reserve(whole);
  printer.reserve(boxes);
  const std::string name = names.fresh(module.name + "_mod");
  const std::string message = names.fresh(module.name + "_message");
  const std::string length = names.fresh(module.name + "_length");

  for (const std::string& line : module.header) out.comment(line);
  use_of_module(out, name, message);
  out.open("module " + name);
  out.line("use, intrinsic :: iso_c_binding");
  out.line("implicit none");
  out.line("private :: " + length);
  out.blank();
  printer.print(whole, module);
  if (box) printer.print(boxes, box->module);
  interface_of_c(out, {length, "strlen", "text", "length", "integer(c_size_t)"},
                 [&] { out.line("type(c_ptr), intent(in), value :: text"); });
  out.blank();
  out.reopen("contains");
  out.blank();
  message_function(out, message, length);
  out.close("end module " + name);
  return out.str();
}

}  // namespace stencil::emit
