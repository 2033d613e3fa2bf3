// The bindings of each part of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace littlestone {

void bind_counters(nanobind::module_& m);
void bind_half_graphs(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_symmetry(nanobind::module_& m);
void bind_writer(nanobind::module_& m);

}  // namespace littlestone
