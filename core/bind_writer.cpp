#include <algorithm>

#include "arrays.hpp"
#include "bind.hpp"
#include "writer.hpp"

namespace littlestone {

void bind_writer(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
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
            unlocked)
        .def(
            "use_orbits",
            [](Writer& writer, OrbitsArray orbits) {
                writer.use_orbits(require_orbits_for(writer, orbits));
            },
            nb::keep_alive<1, 2>())
        .def(
            "write",
            [](Writer& writer, int k, std::int64_t work) {
                require(1 <= k, "a certificate claims LDim < k for k = 1, 2, ...");
                const Answer answer = writer.write(k, work);
                return answer == Answer::stopped ? -1 : answer == Answer::no ? 1 : 0;
            },
            unlocked)
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

}  // namespace littlestone
