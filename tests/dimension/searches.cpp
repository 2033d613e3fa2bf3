// The search without Python, for sanitizers: random tables are asked by one search and by two at once,
// which are stopped in between. The answers are those of the definition. Status 1 if one is not.
#include <cstdio>
#include <map>
#include <random>
#include <thread>

#include "../../core/solver.hpp"

using namespace littlestone;

namespace {

using Rows = std::vector<Word>;  // of one word each

int dimension(const Rows& rows, int points, std::map<Rows, int>& known) {
    if (rows.size() <= 1) return static_cast<int>(rows.size()) - 1;
    const auto found = known.find(rows);
    if (found != known.end()) return found->second;
    int best = 0;
    for (int x = 0; x < points; ++x) {
        Rows zeros, ones;
        for (const Word row : rows) (row >> x & 1 ? ones : zeros).push_back(row);
        if (zeros.empty() || ones.empty()) continue;
        best = std::max(best, 1 + std::min(dimension(zeros, points, known), dimension(ones, points, known)));
    }
    return known[rows] = best;
}

int wrong = 0;

void check(Answer answer, bool expected) {
    if (answer != Answer::stopped && (answer == Answer::yes) != expected) ++wrong;
}

// Small tables, by turns and together.
void small(std::mt19937_64& random) {
    const int count = 4 + static_cast<int>(random() % 40), points = 4 + static_cast<int>(random() % 5);
    Rows rows;
    for (int i = 0; i < count; ++i) rows.push_back(random() & random() & ((Word{1} << points) - 1));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::map<Rows, int> known;
    const int expected = dimension(rows, points, known), size = static_cast<int>(rows.size());
    Solver solver(size, points, 0);
    solver.load(rows.data(), size);
    solver.help_after(0);
    for (int k = 2; size >= 1 << k; ++k) {
        check(solver.ask(k, 1, UNLIMITED, Searcher::second), k <= expected);
        check(solver.ask(k, UNLIMITED, UNLIMITED, Searcher::both), k <= expected);
    }
    if (expected >= 2) {
        std::vector<std::int64_t> tree((std::size_t{1} << expected) - 1, -1);
        if (!solver.first().plant(expected, tree.data())) ++wrong;
    }
}

// A table that is large enough for both to work on: it is stopped, and then asked again.
void large(std::mt19937_64& random) {
    const int count = 600, points = 128;
    Rows rows(2 * count);
    for (Word& word : rows) word = random() & random();
    Solver alone(count, points, 1 << 20), both(count, points, 1 << 20);
    alone.load(rows.data(), count);
    both.load(rows.data(), count);
    both.help_after(0);
    for (int k = 4; k < 9; ++k) {
        const Answer expected = alone.ask(k, UNLIMITED, UNLIMITED, Searcher::first);
        std::thread stopping([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
            both.stop();
        });
        check(both.ask(k, UNLIMITED, UNLIMITED, Searcher::both), expected == Answer::yes);
        (void)both.nodes();
        stopping.join();
        both.resume();
        check(both.ask(k, UNLIMITED, UNLIMITED, Searcher::both), expected == Answer::yes);
    }
}

}  // namespace

int main() {
    std::mt19937_64 random(1);
    for (int i = 0; i < 300; ++i) small(random);
    for (int i = 0; i < 20; ++i) large(random);
    std::printf("%d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
