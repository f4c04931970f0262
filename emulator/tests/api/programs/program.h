// What the programs share. They know nothing but CUDA's headers.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

// Ends the program where a call did not succeed.
#define CHECK(call)                                                   \
  do {                                                                \
    const CUresult result_ = (call);                                  \
    if (result_ != CUDA_SUCCESS) {                                    \
      const char* name_ = nullptr;                                    \
      cuGetErrorName(result_, &name_);                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, name_); \
      std::exit(1);                                                   \
    }                                                                 \
  } while (false)

// Ends the program where something is not as it has to be.
#define EXPECT(condition)                                                  \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)
