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
#if defined(_MSC_VER) && !defined(__clang__)
    return static_cast<int>(__popcnt64(word));
#else
    return __builtin_popcountll(word);
#endif
}

// The index of the lowest one; the word is not 0.
inline int lowest_one(Word word) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanForward64(&index, word);
    return static_cast<int>(index);
#else
    return __builtin_ctzll(word);
#endif
}

}  // namespace littlestone
