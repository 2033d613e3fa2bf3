// The table of bounds: lower and upper bounds of the dimension of the version spaces met so far.
#pragma once

#include <algorithm>
#include <atomic>

#include "words.hpp"

namespace littlestone {

// 0 and 255 say nothing: a table has fewer than 2^30 rows, so that LDim < 30.
struct Bounds {
    int lower = 0, upper = 255;
    bool at_least(int k) const { return lower >= k; }
    bool less_than(int k) const { return upper < k; }
};

// Buckets of four entries of two words, a line of the cache.  One word is half of the key; the other
// packs (half of the other half, work, upper, lower).  A full bucket gives up the entry that took the
// least work.  An entry is found by 96 bits of its key.  They are trusted: two version spaces that share
// them would be taken for one.  The table starts small and doubles in place: entries of bucket b stay or move to bucket
// b + (number of buckets), which is still empty.
//
// Two searches may use a table at once, without locks.  So the key is kept xor the other word: an entry
// of which one search wrote a word and the other search the other one has a key that nobody asks for
// (Hyatt and Mann, "A lock-less transposition-table implementation for parallel search", 2002).  Every
// word is atomic, and no order of them is relied on.  Only one search doubles the table.  What the other
// one stores meanwhile may be lost, which costs time alone.
class BoundsTable {
public:
    explicit BoundsTable(std::size_t bytes)
        : limit_(buckets_within(bytes)),
          buckets_(std::min<std::size_t>(limit_, 1 << 7)),
          entries_(limit_ * SLOTS, Filled::zeros) {}

    // Have the bucket of a key at hand soon: it is mostly far away.
    void prefetch(Key key) const { __builtin_prefetch(bucket(key)); }

    Bounds probe(Key key) const {
        const Entry* const entries = bucket(key);
        for (int slot = 0; slot < SLOTS; ++slot) {
            const Word packed = read(entries[slot].packed);
            if (holds(entries[slot], packed, key)) return unpack(packed);
        }
        return {};
    }

    // Sharpen the bounds of a key; ``work`` decides who stays in a full bucket.
    void store(Key key, Bounds bounds, std::int64_t spent, bool may_grow) {
        if (may_grow && read(used_) > 2 * read(buckets_) && read(buckets_) < limit_) grow();
        Entry* const entries = bucket(key);
        Entry* target = entries;
        Word work = std::min<Word>(static_cast<Word>(spent), MOST_WORK), least = MOST_WORK + 1;
        for (int slot = 0; slot < SLOTS; ++slot) {
            Entry& entry = entries[slot];
            const Word packed = read(entry.packed);
            if (packed == 0) {
                write(used_, read(used_) + 1);
                target = &entry;
                break;
            }
            if (holds(entry, packed, key)) {
                const Bounds known = unpack(packed);
                bounds = {std::max(bounds.lower, known.lower), std::min(bounds.upper, known.upper)};
                work = std::max(work, work_of(packed));
                target = &entry;
                break;
            }
            if (work_of(packed) < least) target = &entry, least = work_of(packed);
        }
        const Word packed = (key.b & HIGH) | work << 16 | static_cast<Word>(bounds.upper) << 8 |
                            static_cast<Word>(bounds.lower);
        write(target->key, key.a ^ packed);
        write(target->packed, packed);
    }

private:
    static constexpr int SLOTS = 4;
    static constexpr Word HIGH = ALL << 32, MOST_WORK = 0xFFFF;

    struct Entry {
        std::atomic<Word> key, packed;
    };
    static_assert(std::atomic<Word>::is_always_lock_free && sizeof(Entry) == 2 * sizeof(Word));

    template <class T>
    static T read(const std::atomic<T>& word) {
        return word.load(std::memory_order_relaxed);
    }
    template <class T>
    static void write(std::atomic<T>& word, T value) {
        word.store(value, std::memory_order_relaxed);
    }

    static std::size_t buckets_within(std::size_t bytes) {
        std::size_t buckets = 64;
        while (2 * buckets * SLOTS * sizeof(Entry) <= bytes) buckets *= 2;
        return buckets;
    }
    static bool holds(const Entry& entry, Word packed, Key key) {
        return (read(entry.key) ^ packed) == key.a && ((packed ^ key.b) & HIGH) == 0;
    }
    static Word work_of(Word packed) { return packed >> 16 & MOST_WORK; }
    static Bounds unpack(Word packed) {
        return {static_cast<int>(packed & 0xFF), static_cast<int>(packed >> 8 & 0xFF)};
    }
    std::size_t first_slot(Key key) const { return (key.a & (read(buckets_) - 1)) * SLOTS; }
    const Entry* bucket(Key key) const { return &entries_[first_slot(key)]; }
    Entry* bucket(Key key) { return &entries_[first_slot(key)]; }

    void grow() {
        const std::size_t old = read(buckets_);
        entries_.use_large_pages(old * SLOTS, 2 * old * SLOTS);
        for (std::size_t b = 0; b < old; ++b) {
            Entry *kept = &entries_[b * SLOTS], *moved = &entries_[(b + old) * SLOTS];
            for (Entry *entry = kept, *end = kept + SLOTS; entry < end; ++entry) {
                const Word key = read(entry->key), packed = read(entry->packed);
                write(entry->packed, Word{0});
                write(entry->key, Word{0});
                if (packed == 0) continue;
                Entry*& to = ((key ^ packed) & old) != 0 ? moved : kept;
                write(to->key, key);
                write(to->packed, packed);
                ++to;
            }
        }
        write(buckets_, 2 * old);
    }

    const std::size_t limit_;
    std::atomic<std::size_t> buckets_, used_{0};
    Array<Entry> entries_;
};

}  // namespace littlestone
