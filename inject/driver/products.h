// Products of cuBLAS that are replaced at its API, as the library asks for it that stands in front
// of cuBLAS (inject/profile, LD_PRELOAD). Both are exported; they are looked up by name.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// From 1: the replacement for that product, in the words of the record; 0: there is none.
using AutokernelFindProduct = std::uint32_t(const char* product, std::size_t bytes);

// Computes it with our kernel, on the stream, or has `original` do it, which gives a status of
// cuBLAS. `left` and `right` are the factors as cuBLAS names them, A and B. Returns the original's
// status where it was called, else 0.
using AutokernelReplaceProduct = std::int32_t(std::uint32_t replacement, const void* left,
                                              const void* right, void* result, void* stream,
                                              std::int32_t (*original)(void*), void* of_original);
}
