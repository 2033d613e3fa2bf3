// Words of 64 bits, keys, arrays that are allocated lazily, and the compression of words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

// Not where a sanitizer watches the ends of what is allocated.
#if (defined(__linux__) || defined(__APPLE__)) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define LITTLESTONE_MMAP 1
#endif
#if defined(__AVX512F__) && defined(__BMI2__)
#include <immintrin.h>
#define LITTLESTONE_PEXT 1  // not with AVX2 alone: processors of that age may take 300 cycles for it
#endif

namespace littlestone {

using Word = std::uint64_t;

constexpr Word ALL = ~Word{0};
constexpr Word ODD[4] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xBF58476D1CE4E5B9,
                         0x94D049BB133111EB};

inline int words_of(int bits) { return (bits + 63) >> 6; }

// The bits of the last word that stand for rows, of that many rows.
inline Word last_word(int rows) { return ALL >> ((64 - rows) & 63); }

// The finaliser of splitmix64, a bijection that mixes well.
inline Word mix(Word word) {
    word = (word ^ (word >> 30)) * ODD[2];
    word = (word ^ (word >> 27)) * ODD[3];
    return word ^ (word >> 31);
}

// 128 bits that stand for a set: the sum of what stands for its members.
struct Key {
    Word a = 0, b = 0;
    Key operator+(Key other) const { return {a + other.a, b + other.b}; }
    bool operator==(const Key&) const = default;
};

// The size of a grid.  No memory holds one whose size overflows.
inline std::size_t space(std::size_t rows, std::size_t columns) {
    if (columns != 0 && rows > std::numeric_limits<std::size_t>::max() / columns) throw std::bad_alloc();
    return rows * columns;
}

// An array of fixed size, which begins with a line of the cache.  Its entries are not initialised unless
// zeros are asked for; pages that are never touched take no memory.
enum class Filled { not_at_all, zeros };
template <class T>
class Array {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    Array() = default;
    explicit Array(std::size_t size, Filled filled = Filled::not_at_all) : size_(size) {
        const std::size_t bytes = space(size, sizeof(T));
        std::size_t more = bytes + LINE;
        memory_ = take(more, filled);
        if (more < LINE || !memory_) throw std::bad_alloc();
        void* place = memory_.get();
        data_ = static_cast<T*>(std::align(LINE, bytes, place, more));
    }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

    // Entries that are touched in no order take fewer pages of 2 MiB than the processor can remember.
    void use_large_pages(std::size_t first, std::size_t last) {
#if LITTLESTONE_MMAP && defined(MADV_HUGEPAGE)
        constexpr std::size_t page = std::size_t{1} << 21;
        const auto begin = (reinterpret_cast<std::uintptr_t>(data_ + first) + page - 1) & ~(page - 1);
        const auto end = reinterpret_cast<std::uintptr_t>(data_ + last);
        if (begin + page <= end)  // advice: nothing depends on its being taken
            (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
        (void)first, (void)last;
#endif
    }

private:
    static constexpr std::size_t LINE = 64;
    static constexpr std::size_t MAPPED = std::size_t{1} << 20;
    struct Free {
        std::size_t mapped = 0;
        void operator()(void* memory) const {
#if LITTLESTONE_MMAP
            if (mapped != 0) return void(munmap(memory, mapped));
#endif
            std::free(memory);
        }
    };
    using Memory = std::unique_ptr<void, Free>;
    static Memory take(std::size_t bytes, Filled filled) {
        if (filled == Filled::not_at_all) return Memory(std::malloc(bytes));
#if LITTLESTONE_MMAP
        // calloc would write zeros over memory that was free, however little of it is used.
        if (bytes >= MAPPED) {
            void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
            return mapped == MAP_FAILED ? Memory() : Memory(mapped, Free{bytes});
        }
#endif
        return Memory(std::calloc(bytes, 1));
    }
    Memory memory_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// Moves the bits of words that lie under a mask together, in their order, at the low end.
#if LITTLESTONE_PEXT
class Compressor {
public:
    void prepare(Word mask) { mask_ = mask; }
    Word operator()(Word word) const { return _pext_u64(word, mask_); }
    Word mask() const { return mask_; }

private:
    Word mask_;
};
#else  // Warren, Hacker's Delight, section 7-4: six moves, each by a power of two
class Compressor {
public:
    void prepare(Word mask) {
        mask_ = mask;
        Word keep = ~mask << 1;
        for (int step = 0; step < 6; ++step) {
            Word odd = keep;
            for (int i = 1; i < 64; i <<= 1) odd ^= odd << i;
            const Word move = odd & mask;
            moves_[step] = move;
            mask = (mask ^ move) | (move >> (1 << step));
            keep &= ~odd;
        }
    }
    Word operator()(Word word) const {
        word &= mask_;
        for (int step = 0; step < 6; ++step) {
            const Word moved = word & moves_[step];
            word = (word ^ moved) | (moved >> (1 << step));
        }
        return word;
    }
    Word mask() const { return mask_; }

private:
    Word mask_, moves_[6];
};
#endif

}  // namespace littlestone
