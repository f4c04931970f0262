// The objects of the fake cuBLASLt: what an attribute was set to, by its number.
#pragma once

#include <cstdint>
#include <map>

namespace autokernel::test {

struct FakeLtObject {
  std::map<std::int32_t, std::int64_t> attributes;
};

}  // namespace autokernel::test

extern "C" std::int32_t cublasLtMatmul(void* handle, const void* operation, const void* alpha,
                                       const void* a, const void* a_layout, const void* b,
                                       const void* b_layout, const void* beta, const void* c,
                                       const void* c_layout, void* d, const void* d_layout,
                                       const void* algorithm, void* workspace,
                                       std::size_t workspace_bytes, void* stream);
