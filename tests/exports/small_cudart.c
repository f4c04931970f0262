/* As much of the CUDA runtime as exported source calls, on the driver that AUTOKERNEL_DRIVER names:
 * NVIDIA's own asks a driver for more than the emulated one has. Programs are linked with it by
 * `nvcc --cudart none`. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *driver(void) {
  static void *library;
  const char *name = getenv("AUTOKERNEL_DRIVER");
  if (!library) library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  return library;
}

static void *entry(const char *name) {
  void *found = driver() ? dlsym(driver(), name) : NULL;
  if (!found) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(3);
  }
  return found;
}
#define CALL(name, type, ...) ((CUresult(*) type)entry(#name))(__VA_ARGS__)

/* The primary context of the first device is current on the calling thread. */
static CUresult ready(void) {
  static int is_ready;
  CUdevice device = 0;
  CUcontext context = NULL;
  if (is_ready) return CUDA_SUCCESS;
  CUresult result = CALL(cuInit, (unsigned), 0);
  if (result == CUDA_SUCCESS) result = CALL(cuDeviceGet, (CUdevice *, int), &device, 0);
  if (result == CUDA_SUCCESS)
    result = CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice), &context, device);
  if (result == CUDA_SUCCESS) result = CALL(cuCtxSetCurrent, (CUcontext), context);
  is_ready = result == CUDA_SUCCESS;
  return result;
}

/* What nvcc's code registers before main(). */
enum { MOST = 64 };
static struct {
  const void *function;
  const void *image;
  const char *name;
} kernels[MOST];
static int kernel_count;
static struct {
  const void *image;
  CUlibrary library;
} libraries[MOST];
static int library_count;

static CUlibrary library_of(const void *image) {
  for (int i = 0; i < library_count; ++i)
    if (libraries[i].image == image) return libraries[i].library;
  libraries[library_count].image = image;
  CALL(cuLibraryLoadData,
       (CUlibrary *, const void *, void *, void *, unsigned, void *, void *, unsigned),
       &libraries[library_count].library, image, NULL, NULL, 0, NULL, NULL, 0);
  return libraries[library_count++].library;
}

static CUkernel kernel_of(const void *function) {
  CUkernel kernel = NULL;
  for (int i = 0; i < kernel_count; ++i) {
    if (kernels[i].function == function)
      CALL(cuLibraryGetKernel, (CUkernel *, CUlibrary, const char *), &kernel,
           library_of(kernels[i].image), kernels[i].name);
  }
  return kernel;
}

struct wrapper {
  int magic, version;
  const void *image;
};
void **__cudaRegisterFatBinary(void *wrapper) {
  return (void **)((struct wrapper *)wrapper)->image;
}
void __cudaRegisterFatBinaryEnd(void **image) { (void)image; }
void __cudaUnregisterFatBinary(void **image) { (void)image; }
char __cudaInitModule(void **image) { return image != NULL; }
void __cudaRegisterFunction(void **image, const char *function, char *device_name, const char *name,
                            int threads, void *thread, void *block, void *block_size,
                            void *grid_size, int *warp_size) {
  (void)device_name, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size,
      (void)warp_size;
  if (kernel_count == MOST) abort();
  kernels[kernel_count].function = function;
  kernels[kernel_count].image = image;
  kernels[kernel_count++].name = name;
}
void __cudaRegisterVar(void **image, char *variable, char *device_name, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global) {
  (void)image, (void)variable, (void)device_name, (void)name, (void)is_extern, (void)bytes,
      (void)is_constant;
  (void)is_global;
}

static cudaError_t launched(const cudaLaunchConfig_t *config, const void *function,
                            void **arguments) {
  CUfunction of_kernel = NULL;
  if (ready() != CUDA_SUCCESS) return cudaErrorNoDevice;
  CUresult result =
      CALL(cuKernelGetFunction, (CUfunction *, CUkernel), &of_kernel, kernel_of(function));
  if (result != CUDA_SUCCESS) return (cudaError_t)result;
  /* A launch attribute of the runtime is the driver's by another name. */
  const CUlaunchConfig launch = {config->gridDim.x,
                                 config->gridDim.y,
                                 config->gridDim.z,
                                 config->blockDim.x,
                                 config->blockDim.y,
                                 config->blockDim.z,
                                 (unsigned)config->dynamicSmemBytes,
                                 config->stream,
                                 (CUlaunchAttribute *)config->attrs,
                                 config->numAttrs};
  return (cudaError_t)CALL(cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **, void **),
                           &launch, of_kernel, arguments, NULL);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments) {
  return launched(config, function, arguments);
}

/* What <<<>>> becomes: it pushes this, and the function that it then calls pops it. */
static cudaLaunchConfig_t pushed;
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                     cudaStream_t stream) {
  pushed = (cudaLaunchConfig_t){
      .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};
  return 0;
}
unsigned __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
                                    cudaStream_t *stream) {
  *grid = pushed.gridDim;
  *block = pushed.blockDim;
  *shared = pushed.dynamicSmemBytes;
  *stream = pushed.stream;
  return 0;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  *kernel = (cudaKernel_t)function;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, struct dim3 grid, struct dim3 block,
                               void **arguments, size_t shared, cudaStream_t stream) {
  const cudaLaunchConfig_t config = {
      .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};
  return launched(&config, kernel, arguments);
}
cudaError_t cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block,
                             void **arguments, size_t shared, cudaStream_t stream) {
  return __cudaLaunchKernel((cudaKernel_t)function, grid, block, arguments, shared, stream);
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  if (ready() != CUDA_SUCCESS) return cudaErrorNoDevice;
  /* Both enumerations have the same numbers. */
  return (cudaError_t)CALL(cuDeviceGetAttribute, (int *, int, CUdevice), value, (int)attribute,
                           device);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int block_size, size_t shared,
                                                                   unsigned flags) {
  CUfunction of_kernel = NULL;
  if (ready() != CUDA_SUCCESS) return cudaErrorNoDevice;
  CUresult result =
      CALL(cuKernelGetFunction, (CUfunction *, CUkernel), &of_kernel, kernel_of(function));
  if (result != CUDA_SUCCESS) return (cudaError_t)result;
  return (cudaError_t)CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                           (int *, CUfunction, int, size_t, unsigned), blocks, of_kernel,
                           block_size, shared, flags);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
  if (ready() != CUDA_SUCCESS) return cudaErrorNoDevice;
  /* Both enumerations have the same numbers. */
  return (cudaError_t)CALL(cuKernelSetAttribute, (int, int, CUkernel, CUdevice), (int)attribute,
                           value, kernel_of(function), 0);
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  if (ready() != CUDA_SUCCESS) return cudaErrorNoDevice;
  return (cudaError_t)CALL(cuMemAlloc_v2, (void **, size_t), memory, bytes);
}
cudaError_t cudaFree(void *memory) { return (cudaError_t)CALL(cuMemFree_v2, (void *), memory); }
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  (void)kind;
  return (cudaError_t)CALL(cuMemcpy, (void *, const void *, size_t), to, from, bytes);
}
cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  return (cudaError_t)CALL(cuMemsetD8_v2, (void *, unsigned char, size_t), memory,
                           (unsigned char)value, bytes);
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
  return (cudaError_t)CALL(cuMemsetD8Async, (void *, unsigned char, size_t, cudaStream_t), memory,
                           (unsigned char)value, bytes, stream);
}
cudaError_t cudaDeviceSynchronize(void) {
  if (ready() != CUDA_SUCCESS) return cudaErrorNoDevice;
  return (cudaError_t)CALL(cuCtxSynchronize, (void));
}
const char *cudaGetErrorString(cudaError_t error) {
  const char *text = "an error";
  if (driver()) CALL(cuGetErrorString, (CUresult, const char **), (CUresult)error, &text);
  return text;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *outcome) {
  (void)version, (void)flags;
  *found = driver() ? dlsym(driver(), name) : NULL;
  *outcome = *found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
