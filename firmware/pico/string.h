// The few functions of <string.h> that src/ calls, so that the compiler alone does: newlib's headers are 300 MB more to load.
#pragma once

#include <stddef.h>

// `used`: the compiler calls some of them only after it has optimised the whole program.
extern "C" {
__attribute__((used)) void* memcpy(void* to, const void* from, size_t count);
__attribute__((used)) void* memmove(void* to, const void* from, size_t count);
__attribute__((used)) void* memset(void* to, int value, size_t count);
__attribute__((used)) int memcmp(const void* one, const void* other, size_t count);
}
