/* What the emulated CUDA driver (libautokernel_cpu.so) offers beyond the CUDA driver API, which has
   no room for it. Look these functions up by name (dlsym) where a program may run on a real driver
   as well, which lacks them. */
#ifndef EMULATED_CUDA_H
#define EMULATED_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In words, why the calling thread's current context fails every call: which instruction of which
   thread did what. An empty string where it does not. Valid until that context is destroyed. */
const char* emuFaultReport(void);

/* A line of the source, as the .loc directives in the PTX say (nvcc -lineinfo). */
typedef struct EmuSourceLine { /* NOLINT(modernize-use-using): C as well */
  const char* file;
  uint32_t line;
} EmuSourceLine;

enum EmuFaultKind {
  EMU_FAULT_OUT_OF_BOUNDS = 1,
  EMU_FAULT_MISALIGNED = 2,
  EMU_FAULT_TRAP = 3,
  EMU_FAULT_ASSERTION = 4,
  EMU_FAULT_BARRIER = 5, /* one that can never fill, or that a part of a warp reaches */
  EMU_FAULT_BAD_INSTRUCTION = 6,
  EMU_FAULT_STACK = 7,       /* local memory or call stack exhausted */
  EMU_FAULT_UNSUPPORTED = 8, /* nothing ran: the emulator cannot carry the code out */
  EMU_FAULT_BAD_CALL = 9     /* through a pointer that is no function of that type */
};

enum EmuAccess { EMU_ACCESS_NONE = 0, EMU_ACCESS_LOAD, EMU_ACCESS_STORE, EMU_ACCESS_ATOMIC };

/* What an access went to, or missed by little. */
enum EmuMemory {
  EMU_MEMORY_UNKNOWN = 0,
  EMU_MEMORY_DEVICE,   /* an allocation of the program's */
  EMU_MEMORY_VARIABLE, /* of the module */
  EMU_MEMORY_SHARED,
  EMU_MEMORY_LOCAL,
  EMU_MEMORY_PARAMETER,
  EMU_MEMORY_HEAP,
  EMU_MEMORY_NULL /* near address 0 */
};

/* What emuFaultReport says, as data. Texts are never null; those that are unknown are empty. */
typedef struct EmuFault { /* NOLINT(modernize-use-using): C as well */
  uint32_t size;          /* of the structure, in bytes, as the library knows it */
  uint32_t kind;          /* EmuFaultKind */
  const char* text;
  const char* instruction; /* the PTX statement */
  uint32_t ptx_line;       /* from 1; 0: unknown */
  uint32_t line_count;
  const EmuSourceLine*
      lines; /* from the inside out: the line, then the lines that called it inlined */
  uint32_t line_to_look_at; /* index into lines: the innermost of the kernel's own file */
  uint32_t has_thread;
  uint32_t thread[3];
  uint32_t block[3];
  uint32_t access;  /* EmuAccess; what follows is of out-of-bounds and misaligned accesses alone */
  uint32_t memory;  /* EmuMemory */
  uint64_t address; /* in shared memory the offset in the block's */
  uint64_t bytes;
  uint64_t alignment;
  uint64_t begin; /* [begin, end): the memory it went to or missed; both 0 where unknown */
  uint64_t end;
  const char* variable;    /* its name in the PTX, of a module's or a shared variable */
  uint64_t variable_begin; /* of a shared variable, in the block's shared memory */
  uint64_t variable_end;
  uint32_t address_line; /* of the file to look at: where the address was computed; 0: the same */
} EmuFault;

/* The fault of the calling thread's current context; null where there is none. Valid until that
   context is destroyed. */
const EmuFault* emuFault(void);

/* Why the last code that the calling thread loaded, or first launched in some shape, was refused;
   null where it was not. Valid until the thread loads or launches again. */
const EmuFault* emuRefusal(void);

/* Where the warps of the primary context's kernel under way stand, in words, for who wants to know
   why it does not end: written to `text`, cut to `bytes` and ended by a NUL. Empty where none is
   under way. Any thread may call it at any time. */
void emuWhereabouts(char* text, size_t bytes);

enum EmuWarpOrder { EMU_WARPS_ASCENDING = 0, EMU_WARPS_DESCENDING = 1 };

/* In which order the warps of a block begin, in the primary context's launches from now on: one
   after the other, each up to where it has to wait. A kernel that lacks a barrier may be right in
   one order and wrong in the other. Any thread may call it at any time; without a primary context
   it does nothing. */
void emuWarpOrder(uint32_t order);

/* Version of the emulator, as "0.1.0". */
const char* emuVersion(void);

/* How it runs kernels, by the environment (EMULATED_CUDA_*) and the machine, as "engine automatic,
   compilation automatic, 2 threads". */
const char* emuSettings(void);

#ifdef __cplusplus
}
#endif

#endif
