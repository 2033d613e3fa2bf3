// Numbers for texts, in the order in which they come first: 0, 1, ....
#pragma once

#include <cstdint>
#include <vector>

#include "views.hpp"

namespace littlestone {

// The distinct texts so far, in a table of hashes. Equal bytes have equal numbers, and nothing else has.
class TextNumbers {
  public:
    // The hash begins with the seed, so that nobody can choose texts that all meet in one place.
    explicit TextNumbers(std::uint64_t seed) : seed_(seed), slots_(1 << 10) {}

    // The number of text i, which has the bytes ends[i], ..., ends[i + 1] - 1. One more end than numbers.
    void number(List<const std::uint8_t> bytes, List<const Index> ends, List<Index> numbers);

    Index size() const { return static_cast<Index>(ends_.size()) - 1; }

  private:
    struct Slot {
        std::uint64_t hash = 0;
        Index length = 0, number = -1;  // of no text
    };

    Index number_of(const std::uint8_t* text, Index length, std::uint64_t hash);
    std::uint64_t hash(const std::uint8_t* text, Index length) const;
    Slot& find(const std::uint8_t* text, Index length, std::uint64_t hash);
    void grow();

    std::uint64_t seed_;
    std::vector<Slot> slots_;  // a power of 2, at most half of them in use
    std::vector<std::uint8_t> bytes_;
    std::vector<Index> ends_{0};  // the same for the texts so far
};

}  // namespace littlestone
