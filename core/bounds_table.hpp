// The table of bounds: lower and upper bounds of the dimension of the version spaces met so far.
#pragma once

#include <algorithm>
#include <atomic>

#include "words.hpp"

namespace littlestone {

struct Bounds {
    int lower = 0, upper = 255;  // at most
    bool at_least(int k) const { return lower >= k; }
    bool less_than(int k) const { return upper < k; }
};

// Buckets of four entries of three words: two words of key and one that packs (work, upper, lower).
// A full bucket gives up the entry that took the least work.  The table starts small and doubles in
// place: entries of bucket b stay or move to bucket b + (number of buckets), which is still empty.
//
// Two searches may use a table at once, without locks.  So the words of the key are kept xor the third
// word: an entry of which one search wrote a part and the other one the rest has a key that nobody asks
// for (Hyatt and Mann, "A lock-less transposition-table implementation for parallel search", 2002).
// Every word is atomic, and no order of them is relied on.  Only one search doubles the table.  What
// the other one stores meanwhile may be lost, which costs time alone.
class BoundsTable {
public:
    explicit BoundsTable(std::size_t bytes)
        : limit_(buckets_within(bytes)),
          buckets_(std::min<std::size_t>(limit_, 1 << 10)),
          entries_(limit_ * SLOTS) {}

    Bounds probe(Key key) const {
        const Entry* bucket = &entries_[bucket_of(key)];
        for (int slot = 0; slot < SLOTS; ++slot) {
            const Word packed = read(bucket[slot].packed);
            if (holds(bucket[slot], packed, key)) return unpack(packed);
        }
        return {};
    }

    // Sharpen the bounds of a key; ``work`` decides who stays in a full bucket.
    void store(Key key, Bounds bounds, std::int64_t work, bool may_grow) {
        if (may_grow && read(used_) > 2 * read(buckets_) && read(buckets_) < limit_) grow();
        Entry* const bucket = &entries_[bucket_of(key)];
        Entry* target = bucket;
        std::int64_t least = MOST_WORK + 1;
        work = std::min(work, MOST_WORK);
        for (int slot = 0; slot < SLOTS; ++slot) {
            Entry& entry = bucket[slot];
            const Word packed = read(entry.packed);
            const auto spent = static_cast<std::int64_t>(packed >> 16);
            if (packed == 0) {
                write(used_, read(used_) + 1);
                target = &entry;
                break;
            }
            if (holds(entry, packed, key)) {
                const Bounds known = unpack(packed);
                bounds = {std::max(bounds.lower, known.lower), std::min(bounds.upper, known.upper)};
                work = std::max(work, spent);
                target = &entry;
                break;
            }
            if (spent < least) target = &entry, least = spent;
        }
        const Word packed = static_cast<Word>(work) << 16 |
                            static_cast<Word>(bounds.upper) << 8 | static_cast<Word>(bounds.lower);
        write(target->a, key.a ^ packed);
        write(target->b, key.b ^ packed);
        write(target->packed, packed);
    }

private:
    static constexpr int SLOTS = 4;
    static constexpr std::int64_t MOST_WORK = (std::int64_t{1} << 40) - 1;

    template <class T>
    using Shared = std::atomic<T>;
    struct Entry {
        Shared<Word> a, b, packed;
    };
    static_assert(Shared<Word>::is_always_lock_free && sizeof(Entry) == 3 * sizeof(Word));

    template <class T>
    static T read(const Shared<T>& word) { return word.load(std::memory_order_relaxed); }
    template <class T>
    static void write(Shared<T>& word, T value) { word.store(value, std::memory_order_relaxed); }

    static std::size_t buckets_within(std::size_t bytes) {
        std::size_t buckets = 64;
        while (2 * buckets * SLOTS * sizeof(Entry) <= bytes) buckets *= 2;
        return buckets;
    }
    static bool holds(const Entry& entry, Word packed, Key key) {
        return (read(entry.a) ^ packed) == key.a && (read(entry.b) ^ packed) == key.b;
    }
    static Bounds unpack(Word packed) {
        return {static_cast<int>(packed & 0xFF), static_cast<int>(packed >> 8 & 0xFF)};
    }
    std::size_t bucket_of(Key key) const { return (key.a & (read(buckets_) - 1)) * SLOTS; }

    void grow() {
        const std::size_t old = read(buckets_);
        for (std::size_t bucket = 0; bucket < old; ++bucket) {
            Entry* kept = &entries_[bucket * SLOTS];
            Entry* moved = &entries_[(bucket + old) * SLOTS];
            for (Entry *entry = kept, *end = kept + SLOTS; entry < end; ++entry) {
                const Word a = read(entry->a), b = read(entry->b), packed = read(entry->packed);
                write(entry->packed, Word{0});
                write(entry->a, Word{0});
                write(entry->b, Word{0});
                if (packed == 0) continue;
                Entry*& to = ((a ^ packed) & old) != 0 ? moved : kept;
                write(to->a, a);
                write(to->b, b);
                write(to->packed, packed);
                ++to;
            }
        }
        write(buckets_, 2 * old);
    }

    const std::size_t limit_;
    Shared<std::size_t> buckets_, used_{0};
    Array<Entry> entries_;
};

}  // namespace littlestone
