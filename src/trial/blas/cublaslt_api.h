// What is called of cuBLASLt, declared here as for cuBLAS (cublas_api.h), whose status and types it
// shares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trial/blas/cublas_api.h"

namespace autokernel::trial::cublaslt {

using cublas::ComputeType;
using cublas::DataType;
using cublas::Status;

using Handle = struct LtHandleStruct*;
using Operation = struct OperationStruct*;
using Layout = struct LayoutStruct*;
using Preference = struct PreferenceStruct*;
using PreferenceKey = int;

inline constexpr PreferenceKey kMostWorkspaceBytes = 1;  // ..._PREF_MAX_WORKSPACE_BYTES

struct Algorithm {
  std::array<std::uint64_t, 8> data;
};
// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  Status state;
  float waves;
  std::array<int, 4> reserved;
};

using Create = Status(Handle*);
using Destroy = Status(Handle);
using GetVersion = std::size_t();
using OperationCreate = Status(Operation*, ComputeType, DataType);
using OperationDestroy = Status(Operation);
using LayoutCreate = Status(Layout*, DataType, std::uint64_t, std::uint64_t, std::int64_t);
using LayoutDestroy = Status(Layout);
using PreferenceCreate = Status(Preference*);
using PreferenceDestroy = Status(Preference);
using PreferenceSet = Status(Preference, PreferenceKey, const void*, std::size_t);
using GetHeuristics = Status(Handle, Operation, Layout, Layout, Layout, Layout, Preference, int,
                             Heuristic*, int*);
using Matmul = Status(Handle, Operation, const void*, const void*, Layout, const void*, Layout,
                      const void*, const void*, Layout, void*, Layout, const Algorithm*, void*,
                      std::size_t, CUstream);

}  // namespace autokernel::trial::cublaslt
