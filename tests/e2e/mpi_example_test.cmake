# examples/mpi: on 1, 2, 4 and 6 ranks the program writes the same bits as the reference interpreter.
# Variables: BUILD, SOURCE, MPICXX, MPIEXEC.
set(dir ${BUILD}/mpi_example)
file(REMOVE_RECURSE ${dir})
file(MAKE_DIRECTORY ${dir})

# run(what command...): runs the command in the directory; on failure prints its output.
function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${dir} RESULT_VARIABLE failed
                  OUTPUT_VARIABLE log ERROR_VARIABLE log TIMEOUT 300)
  if(failed)
    message(FATAL_ERROR "${what}: ${failed}\n${log}")
  endif()
endfunction()

set(program ${SOURCE}/examples/mpi/wave.stn)
# 203 steps are no multiple of the 8 steps per call; the grid is no multiple of the ranks.
set(sizes -D N=61 -D M=97)
set(steps 203)
run("stencilc" ${BUILD}/bin/stencilc ${program} -o wave.cpp --header --boxes 8 ${sizes})
run("the compiler" ${MPICXX} -O1 -std=c++17 -ffp-contract=off -DOMPI_SKIP_MPICXX -I${dir}
    ${SOURCE}/examples/mpi/main.cpp wave.cpp -o wave)
run("the interpreter" ${BUILD}/bin/stencilc run ${program} --device reference --steps ${steps}
    ${sizes} --out U=U.npy)
file(READ ${dir}/U.npy expected HEX)
foreach(ranks 1 2 4 6)
  run("${ranks} ranks" ${CMAKE_COMMAND} -E env OMPI_ALLOW_RUN_AS_ROOT=1
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
      OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1
      ${MPIEXEC} -n ${ranks} ./wave ${steps} U${ranks}.raw)
  file(READ ${dir}/U${ranks}.raw found HEX)
  string(LENGTH "${found}" digits)
  string(LENGTH "${expected}" all)
  math(EXPR header "${all} - ${digits}")  # header of the .npy file
  if(NOT digits EQUAL 47336)  # 61 * 97 floats
    message(FATAL_ERROR "${ranks} ranks wrote ${digits} / 2 bytes")
  endif()
  string(SUBSTRING "${expected}" ${header} -1 values)
  if(NOT found STREQUAL values)
    message(FATAL_ERROR "${ranks} ranks have other bits than the interpreter")
  endif()
endforeach()
