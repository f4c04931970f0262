/* What the emulated CUDA driver (libautokernel_cpu.so) offers beyond the CUDA driver API, which has
   no room for it. Look these functions up by name (dlsym) where a program may run on a real driver
   as well, which lacks them. */
#ifndef EMULATED_CUDA_H
#define EMULATED_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* In words, why the calling thread's current context fails every call: which instruction of which
   thread did what. An empty string where it does not. Valid until that context is destroyed. */
const char* emuFaultReport(void);

/* Version of the emulator, as "0.1.0". */
const char* emuVersion(void);

/* How it runs kernels, by the environment (EMULATED_CUDA_*) and the machine, as "engine automatic,
   compilation automatic, 2 threads". */
const char* emuSettings(void);

#ifdef __cplusplus
}
#endif

#endif
