// What Python sees of the core: each function and class by its name.  They check the shapes and sizes of what
// they are given.  What takes long runs without the interpreter's lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "counters.hpp"
#include "half_graphs.hpp"
#include "solver.hpp"
#include "symmetry.hpp"
#include "texts.hpp"
#include "writer.hpp"

#ifndef CORE_MODULE
#define CORE_MODULE _core
#endif

namespace littlestone {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// The level of x86-64 whose instructions this processor has, of those that a core is compiled for:
// 3 with AVX2 and BMI2; 4 with AVX-512 and its population counts, too.
int processor_level() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
          __builtin_cpu_supports("popcnt")))
        return 1;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq")
               ? 4
               : 3;
#else
    return 1;
#endif
}

void bind_counters(nb::module_& m) {
    m.def("count_cells", &count_cells, Unlocked());
    m.def("count_boxes", &count_boxes, Unlocked());
    m.def(
        "count_flats",
        [](Index first, Index last, Index base, List<std::int64_t> found, Grid<const std::uint16_t> product,
           Grid<const std::uint16_t> minus, Grid<const std::uint16_t> points, List<const std::int64_t> weights,
           Grid<const std::uint16_t> infinity, List<const std::int64_t> infinite_weights,
           List<const std::int64_t> pivots, List<const std::int64_t> free) {
            count_flats({{product, minus}, {points, weights}, {infinity, infinite_weights}, pivots, free}, first,
                        last, base, found);
        },
        Unlocked());
    m.def("count_juntas", &count_juntas, Unlocked());
    m.def("count_lists", &count_lists, Unlocked());
}

void bind_texts(nb::module_& m) {
    nb::class_<TextNumbers>(m, "TextNumbers", "See texts.hpp.")
        .def(nb::init<std::uint64_t>())
        .def("number", &TextNumbers::number)
        .def("size", &TextNumbers::size);
}

void bind_half_graphs(nb::module_& m) {
    nb::class_<HalfGraphSearch>(m, "HalfGraphSearch", "See half_graphs.hpp.")
        .def(nb::init<Grid<const Word>, Grid<const Word>, Index>())
        .def("go_on", &HalfGraphSearch::go_on, Unlocked())
        .def("pairs", &HalfGraphSearch::pairs);
}

void bind_search(nb::module_& m) {
    nb::enum_<Answer>(m, "Answer", "To a question; see views.hpp.", nb::is_arithmetic())
        .value("stopped", Answer::stopped)
        .value("no", Answer::no)
        .value("yes", Answer::yes);
    nb::enum_<Searcher>(m, "Searcher", "Who searches; see `Engine`.")
        .value("first", Searcher::first)
        .value("second", Searcher::second)
        .value("both", Searcher::both);
    nb::class_<Solver>(m, "Solver", "A table and the searches of it; see `Engine`.")
        .def(nb::init<Index, Index, std::size_t>())
        .def("load", &Solver::load, Unlocked())
        .def("ask", &Solver::ask, "k"_a, "nodes"_a, "work"_a, "searcher"_a, "ahead"_a = nb::none(), Unlocked())
        .def("help_after", &Solver::help_after)
        .def("stop", &Solver::stop)
        .def("resume", &Solver::resume)
        .def("use_orbits", &Solver::use_orbits, nb::keep_alive<1, 2>())
        .def_prop_ro("symmetric", &Solver::symmetric)
        .def_prop_ro("nodes", &Solver::nodes)
        .def_prop_ro("own_nodes", &Solver::own_nodes)
        .def_prop_ro("work", &Solver::work)
        .def("find_tree", &Solver::find_tree, Unlocked());
}

void bind_writer(nb::module_& m) {
    nb::class_<Writer>(m, "Writer", "Writes the claims of certificates; see `ClaimWriter`.")
        .def(nb::init<Index, Index, std::size_t>())
        .def("load", &Writer::load, Unlocked())
        .def("use_orbits", &Writer::use_orbits, nb::keep_alive<1, 2>())
        .def("write", &Writer::write, Unlocked())
        .def("stop", &Writer::stop)
        .def_prop_ro("was_stopped", &Writer::was_stopped)
        .def_prop_ro("work", &Writer::work)
        .def_prop_ro("claims", &Writer::claims)
        .def_prop_ro("text",
                     [](const Writer& writer) {
                         return nb::bytes(writer.text().data(), writer.text().size());
                     })
        .def("uses_place", &Writer::uses_place);
}

void bind_symmetry(nb::module_& m) {
    nb::class_<Symmetries>(m, "Symmetries", "The symmetries of a table.")
        .def(nb::init<Grid<const Word>, Index>(), nb::keep_alive<1, 2>())
        .def("suggest", &Symmetries::suggest, Unlocked())
        .def("is_symmetry", &Symmetries::is_symmetry, Unlocked());
}

}  // namespace
}  // namespace littlestone

NB_MODULE(CORE_MODULE, m) {
    m.def("processor_level", &littlestone::processor_level);
    littlestone::bind_counters(m);
    littlestone::bind_texts(m);
    littlestone::bind_half_graphs(m);
    littlestone::bind_search(m);
    littlestone::bind_writer(m);
    littlestone::bind_symmetry(m);
}
