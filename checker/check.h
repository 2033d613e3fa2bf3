/* Check a certificate of a Littlestone dimension against its table: what check.c offers. */
#ifndef LITTLESTONE_CHECK_H
#define LITTLESTONE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CHECK_API __declspec(dllexport)
#elif defined(__GNUC__)
#define CHECK_API __attribute__((visibility("default")))
#else
#define CHECK_API
#endif

/* What `check` returns. */
enum {
    CHECK_PROVED = 0,    /* both bounds are proved */
    CHECK_UNPROVED = 1,  /* a bound is not proved */
    CHECK_DAMAGED = 2,   /* the file is no certificate: its bounds, its tree or its count cannot be read */
    CHECK_ROOM = 3,      /* more memory is needed than `room` */
    CHECK_STOPPED = 4    /* `stop` was set */
};

/* What shows the upper bound. */
enum { BY_CLAIMS = 0, BY_COUNTING = 1, REFUSED = 2, WITHOUT_PROOF = 3 };

typedef struct {
    /* Given: distinct rows of ceil(columns / 64) words each, with zeros after the last column; the bytes of the
     * file; and the most bytes of memory to take. */
    const uint64_t *rows;
    size_t count, columns;
    const unsigned char *file;
    size_t size, room;
    /* Another thread may set the first and read the second while the check runs. */
    volatile int stop;
    volatile uint64_t claims;  /* met so far */
    /* Found. */
    uint64_t lower, upper;
    int shattered, above;      /* whether the tree shows the lower bound; what shows the upper one */
} check_job;

CHECK_API int littlestone_check(check_job *job);

/* Leave distinct rows, each once, in the order of their first appearance; how many, or 0 without memory. */
CHECK_API size_t littlestone_distinct(uint64_t *rows, size_t count, size_t columns);

#endif
