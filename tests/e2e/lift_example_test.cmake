# examples/lift: the program linked with the lifted function prints the same as the original.
# Variables: BUILD, SOURCE.
set(dir ${BUILD}/lift_example)
file(REMOVE_RECURSE ${dir})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/examples/lift -B ${dir}
                        -D STENCILC=${BUILD}/bin/stencilc
                RESULT_VARIABLE failed OUTPUT_QUIET)
if(failed)
  message(FATAL_ERROR "examples/lift cannot be configured")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${dir} RESULT_VARIABLE failed OUTPUT_VARIABLE log
                ERROR_VARIABLE log)
if(failed OR NOT log MATCHES "every bit is the[ \n]+same")
  message(FATAL_ERROR "examples/lift cannot be built, or was not verified:\n${log}")
endif()
foreach(program original lifted)
  execute_process(COMMAND ${dir}/wave_${program} OUTPUT_VARIABLE ${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(NOT original STREQUAL lifted OR original STREQUAL "")
  message(FATAL_ERROR "the lifted function gives ${lifted}, the original ${original}")
endif()
