# Installs the build into an empty directory. Builds every client outside the tree against the
# installation and runs it, as users do. Each client compares its results with a plain loop.
#
#   cmake -D BUILD=build-directory -D CXX=compiler -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(work ${BUILD}/clients)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${work}/prefix/bin/stencilc --version)

# Internal symbols must not be exported.
file(GLOB_RECURSE library ${work}/prefix/*/libstencil.so)
run(nm -DC --defined-only ${library})
string(REGEX MATCH " [A-Za-z] (fmt|stencil::(api|ir|kernel|schedule|runtime|reference|emit))::[^\n]*" internal "${output}")
if(internal OR NOT output MATCHES "stencil::Program::from_file")
  message(FATAL_ERROR "libstencil.so exports '${internal}', or lacks the API")
endif()

foreach(client plate coupled sweep two_grids)
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/${client} DESTINATION ${work})
  run(${CMAKE_COMMAND} -S ${work}/${client} -B ${work}/${client}/build -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_CXX_COMPILER=${CXX} -D "CMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror"
      -D CMAKE_PREFIX_PATH=${work}/prefix)
  run(${CMAKE_COMMAND} --build ${work}/${client}/build)
  file(GLOB program ${work}/${client}/*.stn)
  run(${work}/${client}/build/${client} ${program})
  if(NOT output MATCHES "as the plain loop" OR output MATCHES "NOT")
    message(FATAL_ERROR "${client}:\n${output}")
  endif()
  message(STATUS "${client}:\n${output}")
endforeach()
