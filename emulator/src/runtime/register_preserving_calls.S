// emu_load_kept, emu_store_kept, emu_check_kept, emu_atomic_kept: the entry points without that suffix, called so that
// every register keeps its value. Compiled kernels call them from the cold side of a check by inline assembly, which
// the code generator takes for an instruction that changes nothing: it then keeps its vectors in registers on the hot
// side, where an ordinary call, after which no vector register survives, would have them spilled and reloaded around
// every check. (Splitting live ranges around those calls was also half of the compile time.)

        .text

// What xsave is asked to keep: SSE, AVX, and AVX-512's masks, upper halves and upper registers (bits 1, 2, 5 to 7 of
// XCR0). What the CPU has not got is left out by the CPU itself.
        .set    STATE_COMPONENTS, 0xe6
// The standard format of these components ends at byte 2688.
        .set    STATE_BYTES, 2752
        .set    STATE_HEADER, 512

        .macro  KEPT name
        .globl  \name\()_kept
        .hidden \name\()_kept
        .type   \name\()_kept, @function
\name\()_kept:
        .cfi_startproc
        pushq   %r11
        .cfi_adjust_cfa_offset 8
        movq    \name@GOTPCREL(%rip), %r11
        jmp     call_keeping_registers
        .cfi_endproc
        .size   \name\()_kept, . - \name\()_kept
        .endm

        KEPT    emu_load
        KEPT    emu_store
        KEPT    emu_check
        KEPT    emu_atomic

// %r11: the function; its arguments are where the calling convention has them; the old %r11 is on the stack.
        .type   call_keeping_registers, @function
call_keeping_registers:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        pushq   %rbp
        .cfi_def_cfa_offset 24
        .cfi_offset %rbp, -24
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rax
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        subq    $STATE_BYTES, %rsp
        andq    $-64, %rsp
        // xsave leaves parts of the header as they are, and xrstor wants them zero.
        xorl    %eax, %eax
        movq    %rax, STATE_HEADER+0(%rsp)
        movq    %rax, STATE_HEADER+8(%rsp)
        movq    %rax, STATE_HEADER+16(%rsp)
        movq    %rax, STATE_HEADER+24(%rsp)
        movq    %rax, STATE_HEADER+32(%rsp)
        movq    %rax, STATE_HEADER+40(%rsp)
        movq    %rax, STATE_HEADER+48(%rsp)
        movq    %rax, STATE_HEADER+56(%rsp)
        movl    $STATE_COMPONENTS, %eax
        xorl    %edx, %edx
        xsave64 (%rsp)
        movq    -24(%rbp), %rdx
        vzeroupper
        callq   *%r11
        movl    $STATE_COMPONENTS, %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        leaq    -64(%rbp), %rsp
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rax
        popq    %rbp
        .cfi_def_cfa %rsp, 16
        popq    %r11
        .cfi_def_cfa_offset 8
        retq
        .cfi_endproc
        .size   call_keeping_registers, . - call_keeping_registers

        .section .note.GNU-stack, "", @progbits
