// A program that nvcc -rdc=true links, without the CUDA runtime: what its host code would register
// there is kept for the driver. Included by one source.
#pragma once

#include "program.h"

// What is to be loaded; registered before main() begins.
static void* linked_image = nullptr;

// They stand in the place of the runtime's.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper) {
  linked_image = wrapper;
  return &linked_image;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
}
