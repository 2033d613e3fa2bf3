#!/bin/sh
# Run the tests of the core with its sanitizers: PYTHON. First those of addresses and of undefined
# behaviour, then that of threads. What they find ends the run.
set -eu
cd "$(dirname "$0")/.."
python=$1
export PYTHONPATH=tests/dimension PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
for kind in address,undefined thread; do
    case $kind in
    thread)
        library=libtsan.so
        tests="tests/dimension/test_two_searches.py"
        chosen="at_once or ahead or stopped"
        ;;
    *)
        library=libasan.so
        tests="tests/dimension/test_core.py tests/dimension/test_core_arguments.py tests/dimension/test_two_searches.py tests/dimension/test_planted_in_symmetry.py tests/classes/test_counting.py tests/data/test_coded_tallies.py"
        chosen="rows0 or rows3 or rank or named or refused or ends_when or ahead or at_once or stopped or boxes or juntas or lists or subspaces or bytes or several_words"
        ;;
    esac
    build=build/sanitized-${kind%,*}
    cmake -S . -B "$build" -DCORE_SANITIZE="$kind" -DCORE_OPTIMISE=-O1 -DPython_EXECUTABLE="$python" >/dev/null
    cmake --build "$build" --target _core --parallel 2 >/dev/null
    TESTED_CORE=$(ls "$PWD/$build"/_core.*.so)
    export TESTED_CORE
    # The addresses of a program are not shuffled: the sanitizer of threads needs its own places. Nothing is
    # captured, so that what a sanitizer says is seen. A sanitizer looks for what throws when it is loaded: in the
    # library of C++.
    # shellcheck disable=SC2086
    LD_PRELOAD="$(g++ -print-file-name=$library) $(g++ -print-file-name=libstdc++.so)" setarch "$(uname -m)" -R \
        "$python" -m pytest -q -x -s -m 'deep or not deep' -p no:cacheprovider -p tested_core $tests -k "$chosen"
done
