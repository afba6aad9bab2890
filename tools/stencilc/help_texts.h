// Texts of --help below the options.
#pragma once

namespace stencil::tool {

inline constexpr const char* kExamples = R"(Examples:
  stencilc heat.stn -o heat.cu               CUDA; by extension: .cu .hip .cl .cpp
  stencilc heat.stn -o heat.cu --main        with a main(): runs, times and checks itself
  stencilc heat.stn -o heat.cu --open N      the size N is given at run time
  stencilc heat.stn -o heat.cu --fix a       the value of a becomes part of the code
  stencilc heat.stn -o heat.cpp --boxes 8    for ranks of your MPI program: 8 steps per exchange
  stencilc heat.stn --emit kernel-ir         prints a stage; with --target, as lowered for it
  stencilc run heat.stn -D N=256 --stats     runs it on the best device present
  stencilc COMMAND --help                    the options of a command

Exit status: 0 success, 1 the program is at fault, 2 usage or files, 3 the device or toolkit,
4 results became NaN or infinite, 128 + N signal N interrupted a run (130 SIGINT, 143 SIGTERM,
129 SIGHUP).)";

inline constexpr const char* kCheckExamples = R"(Examples:
  stencilc check heat.stn
  stencilc check heat.stn -D N=4             are all accesses inside the grid at this size?)";

inline constexpr const char* kFormatExamples = R"(Examples:
  stencilc fmt heat.stn wave.stn
  stencilc fmt --check *.stn                 for CI: names the files that are not formatted
  stencilc fmt - <heat.stn                   standard input to standard output, for editors

A program with syntax errors is not changed. The exit status is then 1.)";

inline constexpr const char* kCompletionExamples = R"(Examples:
  source <(stencilc completion bash)         in ~/.bashrc
  source <(stencilc completion zsh)          in ~/.zshrc, after compinit)";

inline constexpr const char* kExplainExamples = R"(Examples:
  stencilc explain heat.stn
  stencilc explain heat.stn --schedule "overlapped T=4 block=32x8"
  stencilc explain heat.stn --machine sm_90 --schedule "streaming T=4"
  stencilc explain heat.stn --schedule "streaming T=4" --counts
  stencilc explain heat.stn --gpus 4              how the grid is split, what subdomains exchange)";

inline constexpr const char* kExploreExamples = R"(Examples:
  stencilc explore heat.stn                  ranks the schedules for this computer by the model
  stencilc explore heat.stn --machine sm_80 --html heat.html
  stencilc explore heat.stn --measure --budget 30       on the best device present
  stencilc explore heat.stn --measure --device host --rows 40

Afterwards 'auto' uses the measured times: see stencilc tuned.)";

inline constexpr const char* kRunExamples = R"(Examples:
  stencilc run heat.stn --out A=heat.npy --out A=heat.png --stats
  stencilc run heat.stn -D N=128 --steps 40 --device opencl
  stencilc run wave.stn --in U=now.npy --in U@-1=before.npy --out U=later.npy
  stencilc run lbm.stn --out S.rho=density.png
  stencilc run heat.stn --out A=a.png --slice z=10
  stencilc run heat.stn --device cuda --save-code heat.ptx --save-code heat.cubin
  stencilc run lbm.stn --out flow.vti --every 100           all fields; flow.pvd for ParaView
  stencilc run lbm.stn --out S.rho=rho.gif --every 50       an animation; --fps sets its speed
  stencilc run lbm.stn --out flow.nc,every=100 --out S.rho=rho.png,every=500,flip
  stencilc run heat.stn --checkpoint run.ckpt --checkpoint-every 60s
  stencilc run heat.stn --restart run.ckpt --checkpoint run.ckpt
  stencilc run poisson.stn --history residual.csv           each evaluation of a reduction

FIELD is F, a component (F.rho, F.u[0]) or an older level (F@-1). Several fields may go into one
.vti or .nc file. Options of one --out follow its file: every=K (in place of --every; 0: only at the
end), range=LOW:HIGH, slice=AXIS=N, view=cube, plain, flip, fps=N.

--steps counts from the first step, also after --restart. Ctrl-C (SIGINT), SIGTERM and
SIGHUP end a run after the time tiles in progress. Outputs and checkpoint are still written, and
the exit status is 130, 143 or 129. A second signal ends the run at once. If a reduction becomes
NaN, the run ends with exit status 4, unless --on-nan is continue or ignore.)";

inline constexpr const char* kVerifyExamples = R"(Examples:
  stencilc verify heat.stn
  stencilc verify heat.stn -D N=100          N keeps this value; other sizes vary
  stencilc verify heat.stn --device opencl --schedule "overlapped T=3" --seed 7
  stencilc verify heat.stn --quick
  stencilc verify heat.stn --budget 120
  stencilc verify heat.stn --full            every case; this may take minutes

Cases run in a fixed order: the schedule that 'run' takes here, one schedule of each family, awkward
sizes and step counts, then all others. No case is started that would end after the budget. The last
line counts the cases that were run.

The exit status is 1 if any result differs, 3 if a device fails or no case was run. 0 says that all
cases that were run agree, and nothing about the others.)";

inline constexpr const char* kLiftExamples = R"(Examples:
  stencilc lift heat.c -o heat.stn
  stencilc lift heat.c --function kernel_heat -- -DN=512 -Iinclude
  stencilc lift heat.c --param N --param M                  #define N 1000: param N : integer = 1000
  stencilc lift heat.c --replace -o heat_stencil.cu         replaces heat.c's function at link time

Arguments after -- are flags of the C compiler; without them compile_commands.json applies.

lift, run and verify also run the code of the C file, to compare it with the program. It runs in a
child process that opens no files, starts no processes and has no network. With --no-verify it is
not run. check, explain, explore and compile never run it.)";

inline constexpr const char* kDevicesExamples = R"(Examples:
  stencilc devices
  stencilc devices --measure --device cuda
  stencilc devices --measure --json figures.json)";

inline constexpr const char* kCacheExamples = R"(Examples:
  stencilc cache
  stencilc cache --size 100M
  stencilc cache --clear

STENCIL_CACHE is the directory of the cache, or off. STENCIL_CACHE_SIZE is its limit (1G).)";

inline constexpr const char* kTunedExamples = R"(Examples:
  stencilc tuned
  stencilc tuned --export tuned.json
  stencilc tuned --import tuned.json         per line, the entry with more runs is kept
  stencilc tuned --clear

'auto' uses the fastest measured schedule. STENCIL_TUNED is the file of the database, or off. With
off, runs do not time schedules either.)";

}  // namespace stencil::tool
