# runtime/host/find_llvm.cmake on invented installations: the newest complete version is taken, shared
# libraries replace missing static ones, and a version that was asked for is not replaced by another one.
#
#   cmake -D SOURCE=source-directory -D WORK=directory -P find_llvm_test.cmake
cmake_minimum_required(VERSION 3.22)
if(CASE)  # one search, in a process of its own
  set(CMAKE_FIND_LIBRARY_PREFIXES lib)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .so .a)
  set(ZLIB_LIBRARIES the-zlib)
  include(${SOURCE}/runtime/host/find_llvm.cmake)
  message("found=${STENCIL_LLVM_FOUND} version=${STENCIL_LLVM_VERSION} linkage=${STENCIL_LLVM_LINKAGE} "
          "resources=${STENCIL_CLANG_RESOURCES} libraries=${STENCIL_LLVM_LIBRARIES} missing=${stencil_llvm_missing}")
  return()
endif()

file(REMOVE_RECURSE ${WORK})

# Makes an installation. Its parts are words of `parts`: headers, static, shared.
function(installation name version parts)
  set(root ${WORK}/${name})
  string(REGEX MATCH "^[0-9]+" major ${version})
  file(WRITE ${root}/lib/clang/${major}/include/stddef.h "")
  file(WRITE ${root}/lib/cmake/llvm/LLVMConfig.cmake "")
  if("headers" IN_LIST parts)
    file(WRITE ${root}/include/clang/Basic/Version.h "")
  endif()
  if("static" IN_LIST parts)
    foreach(library Tooling ToolingCore Format ToolingInclusions Rewrite Index Frontend CodeGen Driver
                    Serialization Parse Sema Edit Analysis AST ASTMatchers Lex Basic)
      file(WRITE ${root}/lib/libclang${library}.a "")
    endforeach()
  endif()
  if("shared" IN_LIST parts)
    file(WRITE ${root}/lib/libclang-cpp.so.${major} "")
  endif()
  file(WRITE ${root}/bin/llvm-config "#!/bin/sh
case \"$*\" in
  --version) echo ${version} ;;
  --includedir) echo ${root}/include ;;
  --libdir) echo ${root}/lib ;;
  --prefix) echo ${root} ;;
  *--components) echo orcjit native passes coverage lto ;;
  *--system-libs) echo -lz -lxml2 ;;
  *--link-static*) echo ${root}/lib/libLLVMCore.a ${root}/lib/libPolly.a ;;
  *--link-shared*) echo ${root}/lib/libLLVM.so ;;
esac
")
  file(CHMOD ${root}/bin/llvm-config PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  file(CREATE_LINK llvm-config ${root}/bin/llvm-config-${major} SYMBOLIC)
endfunction()

# Searches with the options in ARGN while the programs of `installed` are in PATH, and compares.
function(search name installed expected)
  set(path "")
  foreach(one ${installed})
    string(APPEND path "${WORK}/${one}/bin:")
  endforeach()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env "PATH=${path}$ENV{PATH}" ${CMAKE_COMMAND} -D CASE=yes
                  -D SOURCE=${SOURCE} ${ARGN} -P ${CMAKE_CURRENT_LIST_FILE}
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "\n *" " " output "${output}")
  if(NOT output MATCHES "${expected}")
    message(SEND_ERROR "${name}: no '${expected}' in\n${output}")
  endif()
endfunction()

installation(complete 20.1.8 "headers;static;shared")
installation(shared 20.1.8 "headers;shared")
installation(no_clang 20.1.8 "static")
installation(no_library 20.1.8 "headers")
installation(old 17.0.6 "headers;static")
installation(too_old 15.0.7 "headers;static")
installation(too_new 99.1.0 "headers;static")

search("the newest version" "old;complete" "found=TRUE version=20.1.8 linkage=static")
search("Clang's own headers" "complete" "resources=${WORK}/complete/lib/clang/20 ")
search("no Polly, no XML" "complete" "libLLVMCore.a;-Wl,--end-group;the-zlib missing")
search("shared libraries" "shared" "version=20.1.8 linkage=shared .*libraries=${WORK}/shared/lib/libclang-cpp.so.20;${WORK}/shared/lib/libLLVM.so ")
search("shared libraries by option" "complete" "version=20.1.8 linkage=shared" -D STENCIL_LLVM_SHARED=ON)
search("an incomplete version is skipped" "no_clang;old" "found=TRUE version=1[79]")
search("a version by number" "complete;old" "version=17.0.6 linkage=static" -D STENCIL_LLVM=17)
search("a version by directory" "complete" "version=17.0.6 linkage=static" -D LLVM_DIR=${WORK}/old/lib/cmake/llvm)
search("a wrong number" "complete" "STENCIL_LLVM is '15'" -D STENCIL_LLVM=15)
search("no Clang" "complete" "LLVM 20.1.8 has no headers of Clang" -D LLVM_DIR=${WORK}/no_clang/lib/cmake/llvm)
search("no library of Clang" "complete" "LLVM 20.1.8 has no libclang-cpp.so" -D LLVM_DIR=${WORK}/no_library/lib/cmake/llvm)
search("too old" "complete" "no usable LLVM: no LLVM 16 to 20" -D LLVM_DIR=${WORK}/too_old/lib/cmake/llvm)
search("too new" "complete" "no usable LLVM: no LLVM 16 to 20" -D LLVM_DIR=${WORK}/too_new/lib/cmake/llvm)
