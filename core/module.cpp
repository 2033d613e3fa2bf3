// What Python sees of the core. Everything here runs without the interpreter's lock.
#include <nanobind/nanobind.h>

#include "bind.hpp"

#ifndef CORE_MODULE
#define CORE_MODULE _core
#endif

namespace {

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

}  // namespace

NB_MODULE(CORE_MODULE, m) {
    m.def("processor_level", &processor_level);
    littlestone::bind_counters(m);
    littlestone::bind_half_graphs(m);
    littlestone::bind_search(m);
    littlestone::bind_symmetry(m);
    littlestone::bind_writer(m);
}
