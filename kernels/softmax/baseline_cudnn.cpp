// Its graphs have no softmax of their own; this is the call that they took over from.
#if !__has_include(<cudnn.h>)
#error "cuDNN is not installed: pip install nvidia-cudnn-cu13"
#endif

#include <autokernel_baseline.h>
#include <cudnn.h>
#include <dlfcn.h>

#include <string>
#include <type_traits>

// Behind those of libraries, whose templates have parameters of such names.
#include <autokernel_sizes.cuh>

namespace {

template <typename Function>
Function* found(const char* name) {
  static void* const library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}
#define FOUND(name) found<decltype(name)>(#name)

constexpr cudnnDataType_t kType =
    std::is_same_v<TYPE, __half> ? CUDNN_DATA_HALF : CUDNN_DATA_BFLOAT16;
cudnnHandle_t handle = nullptr;
cudnnTensorDescriptor_t rows = nullptr;

}  // namespace

extern "C" const char* autokernel_baseline_prepare(AutokernelBaseline* baseline) {
  auto* const version = FOUND(cudnnGetVersion);
  auto* const create = FOUND(cudnnCreate);
  auto* const make = FOUND(cudnnCreateTensorDescriptor);
  auto* const set = FOUND(cudnnSetTensor4dDescriptor);
  if (!version || !create || !make || !set || !FOUND(cudnnSetStream) || !FOUND(cudnnSoftmaxForward))
    return "libcudnn.so.9 cannot be loaded";
  if (create(&handle) != CUDNN_STATUS_SUCCESS) return "cuDNN cannot be opened";
  if (make(&rows) != CUDNN_STATUS_SUCCESS ||
      set(rows, CUDNN_TENSOR_NCHW, kType, ROWS, COLS, 1, 1) != CUDNN_STATUS_SUCCESS)
    return "cuDNN does not take rows of this length";
  static const std::string name = "cuDNN " + std::to_string(version() / 10000) + "." +
                                  std::to_string(version() / 100 % 100) + "." +
                                  std::to_string(version() % 100);
  baseline->name = name.c_str();
  baseline->configuration = "cudnnSoftmaxForward, accurate";
  return nullptr;
}

extern "C" const char* autokernel_baseline_launch(void* const* arguments, void*,
                                                  CUstream_st* stream) {
  const float one = 1;
  const float zero = 0;
  FOUND(cudnnSetStream)(handle, stream);
  const cudnnStatus_t done =
      FOUND(cudnnSoftmaxForward)(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one,
                                 rows, autokernel_argument<const void*>(arguments, 0), &zero, rows,
                                 autokernel_argument<void*>(arguments, 1));
  return done == CUDNN_STATUS_SUCCESS ? nullptr : "cudnnSoftmaxForward failed";
}
