#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "solver.hpp"

namespace littlestone {

void bind_search(nb::module_& m) {
    using namespace nb::literals;
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::enum_<Searcher>(m, "Searcher", "Who searches; see `Engine`.")
        .value("first", Searcher::first)
        .value("second", Searcher::second)
        .value("both", Searcher::both);
    nb::class_<Solver>(m, "Solver", "A table and the searches of it; see `Engine`.")
        .def("__init__",
             [](Solver* solver, Index rows, Index points, std::size_t table_bytes) {
                 new (solver) Solver(require_size(rows), require_size(points), table_bytes);
             })
        .def(
            "load",
            [](Solver& solver, GridArray<const Word> rows) {
                solver.load(rows.data(), require_rows_for(solver.first(), rows));
            },
            unlocked)
        .def(
            "ask",
            [](Solver& solver, int k, std::int64_t nodes, std::int64_t work, Searcher searcher,
               std::optional<int> ahead) {
                for (const int each : {k, ahead.value_or(k)})
                    require(2 <= each && each <= MOST_K,
                            "the search decides LDim >= k for k = 2, ..., 30");
                const Answer answer = solver.ask(k, nodes, work, searcher, ahead.value_or(k));
                return answer == Answer::stopped ? -1 : answer == Answer::yes ? 1 : 0;
            },
            "k"_a, "nodes"_a, "work"_a, "searcher"_a, "ahead"_a = nb::none(),
            unlocked)
        .def("help_after", &Solver::help_after)
        .def("stop", &Solver::stop)
        .def("resume", &Solver::resume)
        .def(
            "use_orbits",
            [](Solver& solver, OrbitsArray orbits) {
                solver.use_orbits(require_orbits_for(solver.first(), orbits));
            },
            nb::keep_alive<1, 2>())
        .def_prop_ro("symmetric",
                     [](Solver& solver) { return solver.first().shared().orbits != nullptr; })
        .def_prop_ro("nodes", &Solver::nodes)
        .def_prop_ro("own_nodes", [](Solver& solver) { return solver.first().nodes(); })
        .def_prop_ro("work", [](Solver& solver) { return solver.first().work(); })
        .def(
            "find_tree",
            [](Solver& solver, int k, ListArray<Index> points) {
                require(2 <= k && k <= MOST_K && Index(points.size()) >= (Index{1} << (k - 1)) - 1,
                        "a tree of depth k = 2, ..., 30 needs 2^(k-1) - 1 points or more");
                return solver.first().find_tree(k, points.data());
            },
            unlocked);
    m.def(
        "descend",
        [](GridArray<const Word> rows, ListArray<Index> points, ListArray<Index> index,
           ListArray<Index> ends) {
            const std::size_t leaves = points.size() + 1;
            require((leaves & (leaves - 1)) == 0 && ends.size() == leaves + 1 &&
                        index.size() == rows.shape(0),
                    "a tree of 2^k leaves has 2^k - 1 points and 2^k + 1 ends, and an index all rows");
            require(view(ends)[0] == 0 && view(ends)[Index(leaves)] == Index(index.size()),
                    "the first end is 0, and the last one the number of rows");
            descend(view(rows), view(points), view(index), view(ends));
        },
        unlocked);
}

}  // namespace littlestone
