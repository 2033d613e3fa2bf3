#include "texts.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace littlestone {

void TextNumbers::number(List<const std::uint8_t> bytes, List<const Index> ends, List<Index> numbers) {
    require(ends.size == numbers.size + 1, "each text has a number, and an end of those before it");
    for (Index i = 0; i < numbers.size; ++i)
        require(0 <= ends[i] && ends[i] <= ends[i + 1] && ends[i + 1] <= bytes.size,
                "texts have their bytes one after the other");
    // In blocks, so that the places of many texts are fetched from memory at the same time.
    constexpr Index BLOCK = 64;
    std::array<std::uint64_t, BLOCK> hashes;
    for (Index first = 0; first < numbers.size; first += BLOCK) {
        const Index stop = std::min(first + BLOCK, numbers.size);
        for (Index i = first; i < stop; ++i) {
            hashes[i - first] = hash(bytes.data + ends[i], ends[i + 1] - ends[i]);
            __builtin_prefetch(&slots_[hashes[i - first] & (slots_.size() - 1)]);
        }
        for (Index i = first; i < stop; ++i)
            numbers[i] = number_of(bytes.data + ends[i], ends[i + 1] - ends[i], hashes[i - first]);
    }
}

Index TextNumbers::number_of(const std::uint8_t* text, Index length, std::uint64_t hash) {
    Slot& slot = find(text, length, hash);
    if (slot.number >= 0) return slot.number;
    const Index found = size();
    bytes_.insert(bytes_.end(), text, text + length);
    ends_.push_back(static_cast<Index>(bytes_.size()));
    slot = {hash, length, found};
    if (2 * ends_.size() > slots_.size()) grow();
    return found;
}

// Eight bytes at a time, each mixed by two multiplications and shifts, as in MurmurHash3.  The second
// factor is secret, so nobody knows by what a change of these bytes is undone in the next eight.
std::uint64_t TextNumbers::hash(const std::uint8_t* text, Index length) const {
    constexpr std::uint64_t ODD = 0xff51afd7ed558ccd, OTHER = 0xc4ceb9fe1a85ec53;
    std::uint64_t found = seed_ ^ static_cast<std::uint64_t>(length) * OTHER;
    for (Index at = 0; at < length; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text + at, static_cast<std::size_t>(std::min<Index>(8, length - at)));
        found = (found ^ word) * ODD;
        found = (found ^ found >> 32) * (seed_ | 1);
        found ^= found >> 29;
    }
    return found;
}

// The slot of the text, or the free one where it belongs.
TextNumbers::Slot& TextNumbers::find(const std::uint8_t* text, Index length, std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
        Slot& slot = slots_[place];
        if (slot.number < 0) return slot;
        if (slot.hash != hash || slot.length != length) continue;
        // Each step of the hash can be undone, so texts of one length up to 8 are equal if their hashes
        // are. Others are compared byte by byte.
        if (length <= 8 || std::equal(text, text + length, bytes_.begin() + ends_[slot.number]))
            return slot;
    }
}

void TextNumbers::grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : before) {
        if (slot.number < 0) continue;
        std::size_t place = slot.hash & mask;
        while (slots_[place].number >= 0) place = (place + 1) & mask;
        slots_[place] = slot;
    }
}

}  // namespace littlestone
