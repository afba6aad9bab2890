// One stage of the compiler shown on one small program each, in the manner of LLVM's lit and FileCheck.
// A case is a .stn file whose comments hold command lines and what their output must contain:
//
//   // RUN: %s --emit ir --fp strict     arguments of stencilc; %s is this file, %t/NAME a scratch file
//   // RUN: cat FILE                     appends a scratch file to the output
//   // FAILS: 1                          the exit status of the last RUN line, where it is not 0
//   // CHECK: text                       a later line of the output contains the text
//   // CHECK-NEXT: text                  the very next line contains it
//   // CHECK-NOT: text                   no line before the next match (or the end) contains it
//   // CHECK-COUNT-3: text               three later lines contain it (not necessarily in a row)
//   // CHECK-DAG-free: runs of blanks count as one, in the text and in the output.
//
// Output is that of all RUN lines in order, standard output before standard error, each after a line
// "$ stencilc ARGUMENTS" that a CHECK may refer to.
