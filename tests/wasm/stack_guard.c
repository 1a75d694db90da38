/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debian builds clang's runtime for wasm32 (128-bit division) with stack protection; wasi-libc lacks the
 * two symbols that this asks for. A smashed stack is a trap.
 */
#include <stdint.h>

extern uintptr_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);

uintptr_t __stack_chk_guard = (uintptr_t)0x5bd1e995u;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
