// The writer of certificates: a search for a proof of LDim < k, which writes down what it finds.
//
// docs/certificate-format.md says what the numbers mean.  Nothing here is trusted: checker/check.c shares
// no code with it.
#pragma once

#include <vector>

#include "search.hpp"

namespace littlestone {

// A claim LDim < k about a version space.
struct Claim {
    int k = 0;
    int place = 0;         // of its path among the orbits, if its proof uses them
    std::int64_t born = 0; // how many claims began before it, those that failed included
    std::size_t end = 0;   // where its steps end
};

// What is known of a version space, by its path or by its shape.  A number of a claim is used again once
// the attempt that the claim belonged to has failed; then `born` tells the claims apart.
struct Known {
    Key key;
    std::int64_t born = 0;
    std::int32_t claim = -1;  // that says LDim < claims[claim].k of it
    std::int16_t least = 0;   // LDim >= least
    std::int16_t kind = 0;    // of a step that refers to the claim
};

// Entries by their keys, in a table that doubles.
class Knowledge {
public:
    Knowledge() : entries_(1 << 10) {}
    Known* find(Key key);         // or null
    Known& operator[](Key key);   // made if it is not there: the next one may move it
    std::size_t bytes() const { return entries_.size() * sizeof(Known); }

private:
    Known& slot(Key key);
    std::vector<Known> entries_;
    std::size_t used_ = 0;
};

class Writer : private Search {
public:
    Writer(Index rows, Index columns, std::size_t room);

    void load(Grid<const Word> rows) { Search::load(rows); }
    // Claim under groups of symmetries.
    void use_orbits(Book<const std::int32_t> orbits) { Search::use_orbits(orbits); }

    // Write the claim LDim < k about the whole table, k >= 1, anew.  The answer is `yes` if it is proved, and
    // `stopped` if there is no work or memory left, or if it was stopped.
    Answer write(int k, std::int64_t work);

    void stop() { shared_->stopped = true; }
    bool was_stopped() const { return shared_->stopped; }
    std::int64_t work() const { return Search::work(); }
    const std::vector<std::uint8_t>& text() const { return text_; }
    std::size_t claims() const { return claims_.size(); }
    // Whether a claim is about a path with these orbits.
    bool uses_place(int place) const;

private:
    struct Step {
        int x, side;  // of a column of the frame
    };
    enum End : Word { end, end_with_shape };
    enum Kind : std::int16_t { child, inside, subset, shape, under_group };

    Answer prove(int depth, int k);
    Answer prove_sides(int depth, int k);
    Answer prove_candidate(int depth, int i, int k);
    Answer prove_side(int depth, int i, int side, int k);
    void step_inside(int depth, int i);

    void put(Word number);
    bool begin(int k, int place);
    void finish();
    void begin_step(int depth, int x, int side);
    void refer(const Known& known);
    bool proves(const Known& known, int k) const;
    void learn(Key key, int claim, Kind kind);
    void learn_least(Key key, int k);

    const std::size_t room_;
    std::vector<std::uint8_t> text_;  // of the claims: numbers of seven bits to a byte, the lowest first
    std::vector<Claim> claims_;
    std::vector<int> open_;  // claims that have begun and not ended
    std::int64_t begun_ = 0;
    Knowledge known_;
    std::vector<std::vector<Step>> steps_;  // [depth]
};

}  // namespace littlestone
