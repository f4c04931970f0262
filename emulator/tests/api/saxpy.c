/* A program that knows the CUDA driver API and nothing else: y = a * x + y on a million elements,
   from PTX text. Links against any driver; here against the emulated one. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static const char kSaxpy[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {\n"
    "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;\n"
    "  ld.param.u32 %r1, [n];\n  ld.param.f32 %f1, [a];\n"
    "  ld.param.u64 %rd1, [x];\n  ld.param.u64 %rd2, [y];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p1, %r5, %r1;\n  @%p1 bra DONE;\n"
    "  cvta.to.global.u64 %rd3, %rd1;\n  cvta.to.global.u64 %rd4, %rd2;\n"
    "  mul.wide.u32 %rd5, %r5, 4;\n"
    "  add.s64 %rd6, %rd3, %rd5;\n  add.s64 %rd7, %rd4, %rd5;\n"
    "  ld.global.f32 %f2, [%rd6];\n  ld.global.f32 %f3, [%rd7];\n"
    "  fma.rn.f32 %f4, %f1, %f2, %f3;\n  st.global.f32 [%rd7], %f4;\n"
    "DONE:\n  ret;\n}\n";

static void check(CUresult result, const char* what) {
  const char* text = "unknown";
  if (result == CUDA_SUCCESS) return;
  cuGetErrorString(result, &text);
  fprintf(stderr, "%s: %s (%d)\n", what, text, (int)result);
  exit(1);
}
#define CHECK(call) check(call, #call)

int main(void) {
  unsigned n = 1000000;
  float a = 2.0F;
  char name[256];
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction saxpy;
  CUdeviceptr dx, dy;
  float* x = malloc(n * sizeof *x);
  float* y = malloc(n * sizeof *y);
  if (x == NULL || y == NULL) return 1;
  for (unsigned i = 0; i < n; ++i) x[i] = (float)(i % 1000), y[i] = 1.0F;

  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetName(name, sizeof name, device));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kSaxpy));
  CHECK(cuModuleGetFunction(&saxpy, module, "saxpy"));
  CHECK(cuMemAlloc(&dx, n * sizeof *x));
  CHECK(cuMemAlloc(&dy, n * sizeof *y));
  CHECK(cuMemcpyHtoD(dx, x, n * sizeof *x));
  CHECK(cuMemcpyHtoD(dy, y, n * sizeof *y));
  void* parameters[] = {&n, &a, &dx, &dy};
  CHECK(cuLaunchKernel(saxpy, (n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
  CHECK(cuMemcpyDtoH(y, dy, n * sizeof *y));
  for (unsigned i = 0; i < n; ++i) {
    if (y[i] == a * x[i] + 1.0F) continue;
    fprintf(stderr, "element %u is %f, not %f\n", i, (double)y[i], (double)(a * x[i] + 1.0F));
    return 1;
  }
  CHECK(cuMemFree(dx));
  CHECK(cuMemFree(dy));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  printf("%s: %u elements are right\n", name, n);
  free(x);
  free(y);
  return 0;
}
