#include "arrays.hpp"
#include "bind.hpp"
#include "solver.hpp"

namespace littlestone {

void bind_search(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::enum_<Searcher>(m, "Searcher", "Who searches; see `Engine`.")
        .value("first", Searcher::first)
        .value("second", Searcher::second)
        .value("both", Searcher::both);
    nb::class_<Solver>(m, "Solver", "A table and the searches of it; see `Engine`.")
        .def(nb::init<unsigned, unsigned, std::size_t>())
        .def(
            "load",
            [](Solver& solver, GridArray<const Word> rows) {
                solver.load(rows.data(), static_cast<int>(rows.shape(0)));
            },
            unlocked)
        .def(
            "ask",
            [](Solver& solver, int k, std::int64_t nodes, std::int64_t work, Searcher searcher) {
                const Answer answer = solver.ask(k, nodes, work, searcher);
                return answer == Answer::stopped ? -1 : answer == Answer::yes ? 1 : 0;
            },
            unlocked)
        .def("help_after", &Solver::help_after)
        .def("stop", &Solver::stop)
        .def("resume", &Solver::resume)
        .def(
            "use_orbits",
            [](Solver& solver, nb::ndarray<const std::int32_t, nb::numpy, nb::ndim<3>, nb::c_contig,
                                           nb::device::cpu>
                                   orbits) { solver.use_orbits(orbits.data()); },
            nb::keep_alive<1, 2>())
        .def_prop_ro("symmetric",
                     [](Solver& solver) { return solver.first().shared().orbits != nullptr; })
        .def_prop_ro("nodes", &Solver::nodes)
        .def_prop_ro("work", [](Solver& solver) { return solver.first().work(); })
        .def(
            "plant",
            [](Solver& solver, int k, ListArray<std::int64_t> points) {
                return solver.first().plant(k, points.data());
            },
            unlocked);
    m.def(
        "descend",
        [](GridArray<const Word> rows, ListArray<std::int64_t> points, ListArray<std::int64_t> index,
           ListArray<std::int64_t> ends) {
            descend(rows.data(), static_cast<int>(rows.shape(1)), points.data(), index.data(), ends.data(),
                    static_cast<std::int64_t>(ends.shape(0)) - 1);
        },
        unlocked);
}

}  // namespace littlestone
