// Words of 64 bits.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace littlestone {

using Word = std::uint64_t;

// The number of ones.
inline int count_ones(Word word) {
#if defined(_MSC_VER) && !defined(__clang__) && defined(__AVX2__)
    return static_cast<int>(__popcnt64(word));
#elif defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcountll(word);
#else  // without an instruction for it: Warren, Hacker's Delight, section 5-1
    word -= (word >> 1) & 0x5555555555555555;
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<int>((word * 0x0101010101010101) >> 56);
#endif
}

// The index of the lowest one; of 0, some number up to 64.
inline int lowest_one(Word word) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index = 0;
    _BitScanForward64(&index, word);
    return static_cast<int>(index);
#elif defined(__BMI__)
    return static_cast<int>(__builtin_ia32_tzcnt_u64(word));
#else
    return word == 0 ? 64 : __builtin_ctzll(word);
#endif
}

}  // namespace littlestone
