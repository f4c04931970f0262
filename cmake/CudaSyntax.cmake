# What `import` reads CUDA C++ with: tree-sitter and its grammar of CUDA C++, from their sources. Debian's tree-sitter is older than
# the grammar.
set(AUTOKERNEL_CUDA_SYNTAX ${CMAKE_SOURCE_DIR}/build/cuda-syntax CACHE PATH
  "The unpacked sources of the packages in cmake/cuda-syntax.txt, in folders tree-sitter and tree-sitter-cuda")
set(core ${AUTOKERNEL_CUDA_SYNTAX}/tree-sitter/tree_sitter/core/lib)
set(grammar ${AUTOKERNEL_CUDA_SYNTAX}/tree-sitter-cuda/src)
if(NOT EXISTS ${core}/src/lib.c OR NOT EXISTS ${grammar}/parser.c)
  message(FATAL_ERROR "cannot find the sources of tree-sitter and tree-sitter-cuda in ${AUTOKERNEL_CUDA_SYNTAX}: run ./dev setup, "
    "which fetches them from PyPI, or unpack what cmake/cuda-syntax.txt names and set AUTOKERNEL_CUDA_SYNTAX")
endif()
add_library(cuda_syntax STATIC ${core}/src/lib.c)
target_include_directories(cuda_syntax SYSTEM PUBLIC ${core}/include PRIVATE ${core}/src)
target_compile_definitions(cuda_syntax PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)
target_compile_options(cuda_syntax PRIVATE -w)
# The grammar is 7 MB of tables, twice what the program has otherwise: a library that `import` alone opens.
add_library(autokernel_cuda_syntax SHARED ${grammar}/parser.c ${grammar}/scanner.c)
target_include_directories(autokernel_cuda_syntax PRIVATE ${grammar})
# Optimizing its tables takes minutes and gains nothing.
target_compile_options(autokernel_cuda_syntax PRIVATE -w -O1)
add_dependencies(cuda_syntax autokernel_cuda_syntax)
