// All modules of a batch in one OpenCL program. Kernel names are unique. Constants and helper
// functions have the same names in every emitted text, so they are renamed per module.
#include <iterator>
#include <regex>
#include <set>

#include "compiler/emit/emit.h"
#include "runtime/devices/opencl_device.h"
#include "tests/property/batch.h"

namespace stencil::property {

namespace {

std::string renamed_text(const kernel::Module& module, size_t number, bool loops) {
  emit::Options options;
  options.target = emit::Target::OpenCl;
  options.kernels_only = true;
  options.threads_are_loops = loops;
  const std::string text = emit::emit(module, options);
  static const std::regex kHelper("\\bstencil_[a-z_]+\\b");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), kHelper), end; at != end; ++at) {
    names.insert(at->str());
  }
  for (const kernel::NamedConstant& constant : module.constants) {
    names.insert(emit::symbol(module, constant.name, options));
  }
  std::string head, tail;
  for (const std::string& name : names) {
    // The number comes first. As a suffix, core_y of module 2 and core_y_2 could collide.
    head += "#define " + name + " m" + std::to_string(number) + "_" + name + "\n";
    tail += "#undef " + name + "\n";
  }
  return head + text + tail;
}

std::string run_on_opencl_as(std::vector<Item>& items, runtime::BlockOnCpu blocks) {
  std::string source;
  std::vector<const kernel::Module*> modules;
  for (const Item& item : items) {
    for (const Piece& piece : pieces_of(item)) {
      source += renamed_text(*piece.module, modules.size(), blocks == runtime::BlockOnCpu::Loops);
      modules.push_back(piece.module);
    }
  }
  auto loaded = runtime::load_opencl_batch(modules, source, blocks);
  if (!loaded.ok()) return loaded.failure().message.substr(0, 4000);
  auto next = std::make_move_iterator(loaded.value().begin());
  for (Item& item : items) {
    const auto count = static_cast<ptrdiff_t>(pieces_of(item).size());
    run_loaded({next, next + count}, item);
    next += count;
  }
  return "";
}

}  // namespace

std::string run_on_opencl(std::vector<Item>& items, const BatchOptions&) {
  return run_on_opencl_as(items, runtime::BlockOnCpu::WorkItems);
}

std::string run_on_opencl_loops(std::vector<Item>& items, const BatchOptions&) {
  return run_on_opencl_as(items, runtime::BlockOnCpu::Loops);
}

}  // namespace stencil::property
