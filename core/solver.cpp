#include "solver.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace littlestone {

void Solver::load(Grid<const Word> rows) {
    seen_ = nullptr;
    second_.reset();  // its root is the table before
    first_.load(rows);
}

void Solver::help_after(double seconds) {
    help_from_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(seconds));
}

std::int64_t Solver::nodes() const {
    const Search* second = seen_;
    return first_.nodes() + (second ? second->nodes() : 0);
}

bool Solver::find_tree(int k, List<Index> points) {
    require(2 <= k && k <= MOST_K && points.size >= (Index{1} << (k - 1)) - 1,
            "a tree of depth k = 2, ..., 30 needs 2^(k-1) - 1 points or more");
    return first_.find_tree(k, points.data);
}

Search& Solver::second() {
    if (!second_) {
        second_ = std::make_unique<Search>(first_);
        seen_ = second_.get();
    }
    return *second_;
}

Answer Solver::ask(int k, std::int64_t nodes, std::int64_t work, Searcher searcher,
                   std::optional<int> ahead) {
    for (const int each : {k, ahead.value_or(k)})
        require(2 <= each && each <= MOST_K, "the search decides LDim >= k for k = 2, ..., 30");
    switch (searcher) {
        case Searcher::second: return second().at_least(k, nodes, work);
        case Searcher::both: return ask_both(k, nodes, work, ahead.value_or(k));
        default: return first_.at_least(k, nodes, work);
    }
}

// Both searches share what they learn.  If they look for the same answer, whoever finds it stops the other;
// if not, the first one does.
Answer Solver::ask_both(int k, std::int64_t nodes, std::int64_t work, int ahead) {
    std::atomic<bool>& answered = first_.shared().answered;
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    Answer found = Answer::stopped;
    const auto help = [&] {
        {
            std::unique_lock<std::mutex> lock(mutex);
            if (changed.wait_until(lock, help_from_, [&] { return over; })) return;
        }
        try {
            // The work is that of the first search, which ends this one when it has none left.
            const Answer answer = second().at_least(ahead, ahead == k ? nodes : UNLIMITED, UNLIMITED);
            if (ahead == k && answer != Answer::stopped) found = answer, answered = true;
        } catch (const std::bad_alloc&) {  // the first search goes on alone
        }
    };
    std::thread helper;
    try {
        helper = std::thread(help);
    } catch (const std::system_error&) {  // no more threads: alone, too
        return first_.at_least(k, nodes, work);
    }
    const Answer answer = first_.at_least(k, nodes, work);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        over = true;
    }
    answered = true;
    changed.notify_one();
    helper.join();
    answered = false;
    return answer == Answer::stopped ? found : answer;
}

}  // namespace littlestone
