// The three-dimensional lines are those of the papers. The lines for fewer dimensions keep the
// technique and the number of threads per block.
#include "compiler/schedule/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stencil::schedule {

const std::vector<Preset>& preset_table() {
  static const std::vector<Preset> table = {
      {"holewinski-overlapped",
       "tiles of several steps in shared memory, the same box at every step",
       "Holewinski, Pouchet, Sadayappan 2012, section 4",
       {"overlapped T=8 block=256 elements=4 regions=hull",
        "overlapped T=4 block=32x16 elements=2x4 regions=hull",
        "overlapped T=2 block=32x4x4 elements=1x2x2 regions=hull"}},
      {"holewinski-spatial",
       "tiles of one step in shared memory: no time tiling",
       "Holewinski, Pouchet, Sadayappan 2012, section 5.1",
       {"overlapped T=1 block=256 elements=4 regions=hull",
        "overlapped T=1 block=32x16 elements=2x4 regions=hull",
        "overlapped T=1 block=32x4x4 elements=1x2x2 regions=hull"}},
      {"schaefer-naive",
       "every operand from memory, 8 points per thread",
       "Schäfer, Fey 2011, section 3",
       {"direct block=512 elements=8", "direct block=32x16 elements=1x8",
        "direct block=32x16 elements=1x1x8"}},
      {"schaefer-sweep",
       "a plane of threads sweeps 8 planes: operands along the sweep in registers, those in the "
       "plane from cache",
       "Schäfer, Fey 2011, section 3 (cached plane sweep)",
       {"", "direct block=512 elements=1 chunk=8 column=registers",
        "direct block=32x16 elements=1 chunk=8 column=registers"}},
      {"schaefer-wavefront",
       "two steps per pass in a pipeline of planes, loaded ahead of their use",
       "Schäfer, Fey 2011, section 3 (pipelined wavefront)",
       {"",
        "streaming T=2 block=32x1 elements=2x1 chunk=64 prefetch=2 loads=registers interior=tested",
        "streaming T=2 block=32x16 elements=1x2 chunk=64 prefetch=2 loads=registers "
        "interior=tested"}},
      {"vizitiu-3dbase",
       "a thread per point, every operand from memory",
       "Vizitiu et al. 2014, section II.A",
       {"direct block=512 elements=1", "direct block=32x16 elements=1",
        "direct block=8x8x8 elements=1"}},
      {"vizitiu-3dshmoverl",
       "tiles in shared memory; further threads of the block load the halo",
       "Vizitiu et al. 2014, section II.B.1",
       {"direct block=512 elements=1 operands=shared halo=cover",
        "direct block=32x16 elements=1 operands=shared halo=cover",
        "direct block=8x8x8 elements=1 operands=shared halo=cover"}},
      {"vizitiu-3dshmnooverl",
       "tiles in shared memory; threads at the border load the halo",
       "Vizitiu et al. 2014, section II.B.2",
       {"direct block=512 elements=1 operands=shared",
        "direct block=32x16 elements=1 operands=shared",
        "direct block=8x8x8 elements=1 operands=shared"}},
      {"vizitiu-2dbase",
       "a plane of threads sweeps the grid, every operand from memory",
       "Vizitiu et al. 2014, section II.A",
       {"", "direct block=64 elements=1 chunk=all", "direct block=8x8 elements=1 chunk=all"}},
      {"vizitiu-2dreg",
       "a plane of threads sweeps the grid: operands along the sweep in registers",
       "Vizitiu et al. 2014, section II.B.3",
       {"", "direct block=64 elements=1 chunk=all column=registers",
        "direct block=8x8 elements=1 chunk=all column=registers"}},
      {"vizitiu-2dshm",
       "a plane of threads sweeps the grid: operands in the plane in shared memory, with halo",
       "Vizitiu et al. 2014, section II.B.4",
       {"", "direct block=64 elements=1 chunk=all operands=shared",
        "direct block=8x8 elements=1 chunk=all operands=shared"}},
      {"vizitiu-2dshmreg",
       "a plane of threads sweeps the grid: operands along the sweep in registers, rows of "
       "the plane in shared memory",
       "Vizitiu et al. 2014, section II.B.5",
       {"", "direct block=64 elements=1 chunk=all column=registers operands=tile",
        "direct block=8x8 elements=1 chunk=all column=registers operands=rows"}},
      {"krotkiewski-copycube",
       "a plane of threads sweeps the grid, every operand from memory: the paper's copy kernel",
       "Krotkiewski, Dabrowski 2013, section 6.1",
       {"", "direct block=192 elements=1 chunk=all", "direct block=32x6 elements=1 chunk=all"}},
      {"krotkiewski-noprefetch",
       "one plane with halo in shared memory, loaded by 32x6 threads as 48x4 in two passes; "
       "partial sums",
       "Krotkiewski, Dabrowski 2013, section 5.1",
       {"", "direct block=192 elements=1 chunk=all column=partial operands=shared halo=remap",
        "direct block=32x6 elements=1 chunk=all column=partial operands=shared halo=remap"}},
      {"krotkiewski",
       "one plane with halo in shared memory, loaded by 32x6 threads as 48x4 in two passes; "
       "partial sums; the next plane is loaded ahead",
       "Krotkiewski, Dabrowski 2013, section 5.2",
       {"",
        "direct block=192 elements=1 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap",
        "direct block=32x6 elements=1 chunk=all prefetch=1 column=partial operands=shared "
        "halo=remap"}},
  };
  return table;
}

std::optional<std::string> preset_line(const std::string& name, int rank,
                                       Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const Preset& preset : preset_table()) {
    known.push_back("@" + preset.name);
    if (known.back() != name) continue;
    const std::string& line = preset.lines[std::min(rank, 3) - 1];
    if (!line.empty()) return line;
    Diagnostic& error = diagnostics.error(
        "L018", {}, fmt::format("schedule preset '{}' needs planes to sweep", name));
    error.expected = "a grid of 2 or more dimensions";
    error.found = fmt::format("{}", rank);
    error.hint = "use @vizitiu-3dbase, or --schedule direct";
    return std::nullopt;
  }
  Diagnostic& error =
      diagnostics.error("L001", {}, fmt::format("unknown schedule preset '{}'", name));
  error.expected = fmt::format("{}", fmt::join(known, ", "));
  const std::string near = nearest_name(name, known);
  if (!near.empty()) error.hint = fmt::format("did you mean '{}'?", near);
  return std::nullopt;
}

}  // namespace stencil::schedule
