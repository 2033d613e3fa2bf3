// What Python sees of the core. Shapes and sizes are checked here (arrays.hpp), and nowhere else. What takes
// long runs without the interpreter's lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

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

using nb::literals::operator""_a;
using std::int32_t, std::int64_t, std::uint16_t, std::uint8_t;
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

void require_boxes(List<const int64_t> sizes, Index points) {
    Index left = points;
    for (Index j = 0; j < sizes.size; ++j) {
        require(sizes[j] > 0 && left % sizes[j] == 0, "the weights fill the product of the columns");
        left /= sizes[j];
    }
    require(sizes.size >= 2 && left == 1, "two columns or more have a weight for each of their points");
}

void require_flats(const Flats& flats) {
    const Field& field = flats.field;
    const Index q = field.size();
    require(q > 0 && field.product.columns == q && field.minus.rows == q && field.minus.columns == q,
            "a field of q elements has q times q products and differences");
    for (const WeightedPoints& points : {flats.points, flats.infinity})
        require(points.coordinates.columns == points.weights.size &&
                    points.coordinates.rows == flats.pivots.size + flats.free.size,
                "points have a weight, and a coordinate for each pivot and each free column");
}

void require_texts(List<const uint8_t> bytes, List<const int64_t> ends, List<int64_t> numbers) {
    require(ends.size == numbers.size + 1, "each text has a number, and an end of those before it");
    for (Index i = 0; i < numbers.size; ++i)
        require(0 <= ends[i] && ends[i] <= ends[i + 1] && ends[i + 1] <= bytes.size,
                "texts have their bytes one after the other");
}

void require_literals(const Symmetries& symmetries, std::size_t image) {
    require(static_cast<Index>(image) == 2 * symmetries.points(), "an image has two literals for each point");
}

void bind_counters(nb::module_& m) {
    m.def(
        "count_cells",
        [](GridArray<const uint16_t> codes, ListArray<const int32_t> labels,
           ListArray<const int64_t> counts, GridArray<const int64_t> subsets,
           GridArray<const int32_t> strides, ListArray<const int64_t> starts,
           ListArray<int64_t> found) {
            require(labels.size() == codes.shape(1) && counts.size() == codes.shape(1),
                    "each record has a label and a count");
            require(strides.shape(0) == subsets.shape(0) && strides.shape(1) == subsets.shape(1) &&
                        starts.size() == subsets.shape(0),
                    "each column of a subset has a stride, and each subset a start");
            count_cells(view(codes), view(labels), view(counts), view(subsets), view(strides),
                        view(starts), view(found));
        },
        Unlocked());
    m.def(
        "count_boxes",
        [](ListArray<const int32_t> weights, ListArray<const int64_t> sizes, Index base,
           ListArray<int64_t> found) {
            require_boxes(view(sizes), static_cast<Index>(weights.size()));
            count_boxes(view(weights), view(sizes), base, view(found));
        },
        Unlocked());
    m.def(
        "count_flats",
        [](Index first, Index last, Index base, ListArray<int64_t> found,
           GridArray<const uint16_t> product, GridArray<const uint16_t> minus,
           GridArray<const uint16_t> points, ListArray<const int64_t> weights,
           GridArray<const uint16_t> infinity, ListArray<const int64_t> infinite_weights,
           ListArray<const int64_t> pivots, ListArray<const int64_t> free) {
            const Flats flats{{view(product), view(minus)}, {view(points), view(weights)},
                              {view(infinity), view(infinite_weights)}, view(pivots), view(free)};
            require_flats(flats);
            count_flats(flats, first, last, base, view(found));
        },
        Unlocked());
    m.def(
        "count_juntas",
        [](GridArray<const int64_t> weights, ListArray<const int64_t> functions, Index low,
           ListArray<int64_t> found) {
            require(weights.shape(1) <= 30, "there are 2^30 sets of cells or fewer");
            count_juntas(view(weights), view(functions), low, view(found));
        },
        Unlocked());
    m.def(
        "count_lists",
        [](Index columns, GridArray<const int64_t> counts, ListArray<const int64_t> starts,
           GridArray<int64_t> found) {
            std::size_t subcubes = 1;
            for (Index j = 0; j < columns && subcubes <= counts.shape(1); ++j) subcubes *= 3;
            require(counts.shape(0) == 2 && found.shape(0) == 2 && counts.shape(1) == subcubes &&
                        starts.size() >= counts.shape(1),
                    "two labels have a count, and a start, for each of 3^columns subcubes");
            count_lists(columns, view(counts), view(starts), view(found));
        },
        Unlocked());
}

void bind_texts(nb::module_& m) {
    nb::class_<TextNumbers>(m, "TextNumbers", "See texts.hpp.")
        .def(nb::init<std::uint64_t>())
        .def("number", [](TextNumbers& texts, ListArray<const uint8_t> bytes,
                          ListArray<const int64_t> ends, ListArray<int64_t> numbers) {
            require_texts(view(bytes), view(ends), view(numbers));
            texts.number(view(bytes), view(ends), view(numbers));
        })
        .def("size", &TextNumbers::size);
}

void bind_half_graphs(nb::module_& m) {
    nb::class_<HalfGraphSearch>(m, "HalfGraphSearch", "See half_graphs.hpp.")
        .def("__init__",
             [](HalfGraphSearch* search, GridArray<const Word> rows, GridArray<const Word> columns,
                Index length) {
                 require_rows(rows, require_size(static_cast<Index>(columns.shape(0))));
                 require_rows(columns, require_size(static_cast<Index>(rows.shape(0))));
                 require(1 <= require_size(length), "a half-graph has one pair or more");
                 new (search) HalfGraphSearch(view(rows), view(columns), static_cast<int>(length));
             })
        .def(
            "go_on",
            [](HalfGraphSearch& search, Index budget) { return static_cast<int>(search.go_on(budget)); },
            Unlocked())
        .def("pairs", [](const HalfGraphSearch& search) {
            require(search.found(), "no half-graph was found");
            return search.pairs();
        });
}

void bind_search(nb::module_& m) {
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
            Unlocked())
        .def(
            "ask",
            [](Solver& solver, int k, int64_t nodes, int64_t work, Searcher searcher,
               std::optional<int> ahead) {
                for (const int each : {k, ahead.value_or(k)})
                    require(2 <= each && each <= MOST_K,
                            "the search decides LDim >= k for k = 2, ..., 30");
                const Answer answer = solver.ask(k, nodes, work, searcher, ahead.value_or(k));
                return answer == Answer::stopped ? -1 : answer == Answer::yes ? 1 : 0;
            },
            "k"_a, "nodes"_a, "work"_a, "searcher"_a, "ahead"_a = nb::none(), Unlocked())
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
            Unlocked());
}

void bind_writer(nb::module_& m) {
    nb::class_<Writer>(m, "Writer", "Writes the claims of certificates; see `ClaimWriter`.")
        .def("__init__",
             [](Writer* writer, Index rows, Index columns, std::size_t room) {
                 new (writer) Writer(require_size(rows), require_size(columns), room);
             })
        .def(
            "load",
            [](Writer& writer, GridArray<const Word> rows) {
                writer.load(rows.data(), require_rows_for(writer, rows));
            },
            Unlocked())
        .def(
            "use_orbits",
            [](Writer& writer, OrbitsArray orbits) {
                writer.use_orbits(require_orbits_for(writer, orbits));
            },
            nb::keep_alive<1, 2>())
        .def(
            "write",
            [](Writer& writer, int k, int64_t work) {
                require(1 <= k, "a certificate claims LDim < k for k = 1, 2, ...");
                const Answer answer = writer.write(k, work);
                return answer == Answer::stopped ? -1 : answer == Answer::no ? 1 : 0;
            },
            Unlocked())
        .def("stop", &Writer::stop)
        .def_prop_ro("was_stopped", &Writer::was_stopped)
        .def_prop_ro("work", &Writer::work)
        .def_prop_ro("claims", [](const Writer& writer) { return writer.claims().size(); })
        .def_prop_ro("text",
                     [](const Writer& writer) {
                         return nb::bytes(writer.text().data(), writer.text().size());
                     })
        .def("uses_place", [](const Writer& writer, int place) {
            return std::any_of(writer.claims().begin(), writer.claims().end(),
                               [place](const Claim& claim) { return claim.place == place; });
        });
}

void bind_symmetry(nb::module_& m) {
    nb::class_<Symmetries>(m, "Symmetries", "The symmetries of a table.")
        .def(
            "__init__",
            [](Symmetries* made, GridArray<const Word> rows, Index points) {
                require_rows(rows, points);
                new (made) Symmetries(view(rows), points);
            },
            nb::keep_alive<1, 2>())
        .def(
            "suggest",
            [](Symmetries& symmetries, ListArray<Index> image) {
                require_literals(symmetries, image.size());
                return static_cast<int>(symmetries.suggest(view(image)));
            },
            Unlocked())
        .def(
            "is_symmetry",
            [](Symmetries& symmetries, ListArray<const Index> image) {
                require_literals(symmetries, image.size());
                return symmetries.is_symmetry(view(image));
            },
            Unlocked());
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
