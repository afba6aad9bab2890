# Finds LLVM and Clang: the newest of the versions below whose Clang headers and libraries are
# installed. Two options choose one version:
#
#   -DSTENCIL_LLVM=18       this version
#   -DLLVM_DIR=DIR          the installation with DIR/LLVMConfig.cmake, as for find_package(LLVM)
#   -DSTENCIL_LLVM_SHARED=ON   link the shared libraries even if static libraries are installed
#
# llvm-config describes an installation. The CMake package of LLVM is not loaded, because it fails if one
# of LLVM's programs or plugins is not installed, and distributions put them into separate packages.
#
# Sets STENCIL_LLVM_FOUND and, if true: STENCIL_LLVM_CONFIG (program), STENCIL_LLVM_VERSION,
# STENCIL_LLVM_INCLUDES, STENCIL_LLVM_LIBRARIES, STENCIL_LLVM_LINKAGE (static or shared) and
# STENCIL_CLANG_RESOURCES (Clang's own headers; empty if they are not installed).
# If false, stencil_llvm_missing says why.
set(stencil_llvm_versions 20 19 18 17 16)
set(STENCIL_LLVM "" CACHE STRING "major version of LLVM to use; empty: the newest that is installed")
option(STENCIL_LLVM_SHARED "link LLVM's shared libraries even if static libraries are installed" OFF)
if(STENCIL_LLVM AND NOT STENCIL_LLVM IN_LIST stencil_llvm_versions)
  message(FATAL_ERROR "STENCIL_LLVM is '${STENCIL_LLVM}'; stencilc can use ${stencil_llvm_versions}")
endif()

function(stencil_llvm_config out)
  execute_process(COMMAND ${STENCIL_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Sets `out` to the paths of the programs llvm-config to try for a major version.
function(stencil_llvm_programs out version)
  if(LLVM_DIR)
    get_filename_component(root "${LLVM_DIR}/../../.." REALPATH)
    file(GLOB programs ${root}/bin/llvm-config ${root}/bin/llvm-config-64 ${root}/bin/llvm-config-${version})
    set(${out} "${programs}" PARENT_SCOPE)
    return()
  endif()
  set(programs "")
  # The program without a version may be of any version; stencil_llvm_take checks it.
  foreach(name llvm-config-${version} llvm-config${version} llvm-config-64-${version} llvm-config
               llvm-config-64)
    find_program(program ${name} NO_CACHE)
    if(program)
      list(APPEND programs ${program})
    endif()
    unset(program)
  endforeach()
  # Debian and Ubuntu; Fedora and Red Hat; Arch; Homebrew.
  file(GLOB apart /usr/lib/llvm-${version}/bin/llvm-config /usr/lib64/llvm${version}/bin/llvm-config*
       /usr/lib/llvm${version}/bin/llvm-config /opt/homebrew/opt/llvm@${version}/bin/llvm-config
       /usr/local/opt/llvm@${version}/bin/llvm-config
       /home/linuxbrew/.linuxbrew/opt/llvm@${version}/bin/llvm-config)
  list(APPEND programs ${apart})
  set(${out} "${programs}" PARENT_SCOPE)
endfunction()

# Static libraries: sets `out`, or `why` if one is missing.
function(stencil_llvm_static out why)
  set(found "")
  foreach(name Tooling ToolingCore Format ToolingInclusions Rewrite Index Frontend CodeGen Driver
               Serialization Parse Sema Edit Analysis AST ASTMatchers APINotes ExtractAPI InstallAPI
               Support Lex Basic)
    if(EXISTS ${libraries}/libclang${name}.a)
      list(APPEND found ${libraries}/libclang${name}.a)
    elseif(NOT name MATCHES "^(APINotes|ExtractAPI|InstallAPI|Support)$")  # not in every version
      set(${why} "no libclang${name}.a" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  # Each version of Clang uses some of these components.
  stencil_llvm_config(present --link-static --components)
  separate_arguments(present)
  set(components orcjit native passes)
  foreach(name coverage frontenddriver frontendhlsl frontendoffloading frontendopenmp lto)
    if(name IN_LIST present)
      list(APPEND components ${name})
    endif()
  endforeach()
  execute_process(COMMAND ${STENCIL_LLVM_CONFIG} --link-static --libfiles ${components}
                  OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(${why} "no static libraries of LLVM" PARENT_SCOPE)
    return()
  endif()
  separate_arguments(files)
  list(FILTER files EXCLUDE REGEX Polly)  # see compile.cpp
  # The libraries that LLVM itself needs. The libraries of Z3 and libxml2 are never used. If the
  # development package is missing, the library of the run-time package suffices.
  stencil_llvm_config(needed --link-static --system-libs)
  separate_arguments(needed)
  set(system "")
  foreach(word ${needed})
    if(word STREQUAL "-lz")
      list(APPEND system ${ZLIB_LIBRARIES})
    elseif(word MATCHES "^-l(.+)$" AND NOT word STREQUAL "-lxml2")
      find_library(library NAMES ${CMAKE_MATCH_1} lib${CMAKE_MATCH_1}.so.1 lib${CMAKE_MATCH_1}.so.6
                   NO_CACHE)
      if(library)
        list(APPEND system ${library})
      endif()
      unset(library)
    endif()
  endforeach()
  set(${out} -Wl,--start-group ${found} ${files} -Wl,--end-group ${system} PARENT_SCOPE)
endfunction()

# Shared libraries: sets `out`, or `why` if one is missing.
function(stencil_llvm_shared out why)
  file(GLOB clang ${libraries}/libclang-cpp.so ${libraries}/libclang-cpp.so.${version}*)
  execute_process(COMMAND ${STENCIL_LLVM_CONFIG} --link-shared --libfiles
                  OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  separate_arguments(llvm)
  if(NOT clang)
    set(${why} "no libclang-cpp.so" PARENT_SCOPE)
  elseif(failed OR NOT llvm)
    set(${why} "no libLLVM.so" PARENT_SCOPE)
  else()
    list(GET clang 0 clang)
    set(${out} ${clang} ${llvm} PARENT_SCOPE)
  endif()
endfunction()

# Takes the installation that STENCIL_LLVM_CONFIG describes if it has everything of this version.
macro(stencil_llvm_take version)
  execute_process(COMMAND ${STENCIL_LLVM_CONFIG} --version OUTPUT_VARIABLE STENCIL_LLVM_VERSION
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(STENCIL_LLVM_VERSION MATCHES "^${version}\\.")
    stencil_llvm_config(STENCIL_LLVM_INCLUDES --includedir)
    stencil_llvm_config(libraries --libdir)
    stencil_llvm_config(prefix --prefix)
    set(why "no headers of Clang")
    set(STENCIL_LLVM_LIBRARIES "")
    if(EXISTS ${STENCIL_LLVM_INCLUDES}/clang/Basic/Version.h)
      set(STENCIL_LLVM_LINKAGE static)
      if(NOT STENCIL_LLVM_SHARED)
        stencil_llvm_static(STENCIL_LLVM_LIBRARIES why)
      endif()
      if(NOT STENCIL_LLVM_LIBRARIES)
        set(STENCIL_LLVM_LINKAGE shared)
        stencil_llvm_shared(STENCIL_LLVM_LIBRARIES why)
      endif()
    endif()
    if(STENCIL_LLVM_LIBRARIES)
      set(STENCIL_LLVM_FOUND TRUE)
      set(STENCIL_CLANG_RESOURCES "")
      foreach(directory ${libraries} ${prefix}/lib ${prefix}/lib64 /usr/lib /usr/lib64)
        foreach(name ${version} ${STENCIL_LLVM_VERSION})
          if(NOT STENCIL_CLANG_RESOURCES AND EXISTS ${directory}/clang/${name}/include/stddef.h)
            set(STENCIL_CLANG_RESOURCES ${directory}/clang/${name})
          endif()
        endforeach()
      endforeach()
    else()
      string(APPEND stencil_llvm_missing " LLVM ${STENCIL_LLVM_VERSION} has ${why};")
    endif()
  endif()
endmacro()

set(STENCIL_LLVM_FOUND FALSE)
set(stencil_llvm_missing "")
set(stencil_llvm_tried "")
foreach(version ${stencil_llvm_versions})
  if(STENCIL_LLVM AND NOT STENCIL_LLVM STREQUAL version)
    continue()
  endif()
  stencil_llvm_programs(stencil_llvm_found ${version})
  foreach(program ${stencil_llvm_found})
    get_filename_component(real ${program} REALPATH)
    if(NOT STENCIL_LLVM_FOUND AND NOT "${version} ${real}" IN_LIST stencil_llvm_tried)
      list(APPEND stencil_llvm_tried "${version} ${real}")
      set(STENCIL_LLVM_CONFIG ${program})
      stencil_llvm_take(${version})
    endif()
  endforeach()
endforeach()
if(NOT STENCIL_LLVM_FOUND AND NOT stencil_llvm_missing)
  string(APPEND stencil_llvm_missing " no LLVM ${STENCIL_LLVM}")
  if(NOT STENCIL_LLVM)
    string(APPEND stencil_llvm_missing "16 to 20")
  endif()
  string(APPEND stencil_llvm_missing ";")
endif()
# A version that was asked for must not be replaced silently.
if(NOT STENCIL_LLVM_FOUND AND (STENCIL_LLVM OR LLVM_DIR))
  message(FATAL_ERROR "no usable LLVM:${stencil_llvm_missing} STENCIL_LLVM='${STENCIL_LLVM}', LLVM_DIR='${LLVM_DIR}'")
endif()
