// What Python sees of the core. Everything here runs without the interpreter's lock.
#include <nanobind/nanobind.h>

#include "bind.hpp"

#ifndef CORE_MODULE
#define CORE_MODULE _core
#endif

namespace {

// Whether this processor has the instructions of x86-64-v3, which `_core_v3` is compiled for.
bool runs_v3() {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

}  // namespace

NB_MODULE(CORE_MODULE, m) {
    m.def("runs_v3", &runs_v3);
    littlestone::bind_counters(m);
    littlestone::bind_half_graphs(m);
    littlestone::bind_search(m);
    littlestone::bind_symmetry(m);
    littlestone::bind_writer(m);
}
