/* Check a certificate of a Littlestone dimension against its table.
 *
 *     gcc -O3 -o check main.c check.c
 *     ./check table.npy certificate.ldim
 *
 * This program needs nothing but a C compiler.  The exit status is 0 if both bounds are proved for this table, 1 if
 * one is not, and 2 if a file cannot be read.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int stop(const char *reason, const char *name) {
    fprintf(stderr, "%s: %s\n", name, reason);
    exit(2);
}

static void *room(size_t count, size_t size) {
    void *p = count > SIZE_MAX / 2 / size ? NULL : calloc(count + 1, size);
    if (p == NULL) stop("there is not enough memory", "check");
    return p;
}

static unsigned char *read_file(const char *name, size_t *size) {
    FILE *f = fopen(name, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) || ftell(f) < 0) stop("cannot be opened", name);
    unsigned char *byte = room(*size = (size_t)ftell(f), 1);
    rewind(f);
    if (fread(byte, 1, *size, f) != *size) stop("cannot be read", name);
    fclose(f);
    return byte;
}

/* Keep the distinct rows of a .npy table, in the order of their first appearance. */
static void read_table(const char *name, check_job *job) {
    size_t size, many, columns, start = 10;
    unsigned char *byte = read_file(name, &size);
    char head[4097] = "", *shape;
    if (size < 12 || memcmp(byte, "\x93NUMPY", 6)) stop("is no .npy file", name);
    size_t length = byte[8] | (size_t)byte[9] << 8;
    if (byte[6] != 1 || length > 4096 || start + length > size) stop("has a damaged head", name);
    memcpy(head, byte + start, length);
    start += length;
    if (!(strstr(head, "'|u1'") || strstr(head, "'|b1'")) || !strstr(head, "'fortran_order': False"))
        stop("is no array of uint8 or bool in C order; save table.astype(\"uint8\", order=\"C\")", name);
    shape = strstr(head, "'shape': (");
    if (shape == NULL || sscanf(shape + 10, "%zu, %zu)", &many, &columns) != 2 || many == 0 || columns == 0
        || many > SIZE_MAX / 32 / columns || size - start != many * columns)
        stop("is no table, or is cut off", name);
    size_t width = (columns + 63) / 64;
    uint64_t *rows = room(many * width, 8);
    for (size_t i = 0; i < many; i++)
        for (size_t j = 0; j < columns; j++) {
            unsigned char value = byte[start + i * columns + j];
            if (value > 1) stop("has other values than 0 and 1", name);
            rows[i * width + j / 64] |= (uint64_t)value << j % 64;
        }
    free(byte);
    job->rows = rows, job->columns = columns, job->count = littlestone_distinct(rows, many, columns);
    if (job->count == 0) stop("there is not enough memory", name);
}

int main(int count, char **name) {
    static const char *const above[] = {"proved by claims", "proved by counting rows", "NOT proved", "stated without a proof"};
    check_job job = {.room = SIZE_MAX / 4};
    if (count != 3) stop("usage: check TABLE.npy CERTIFICATE", "check");
    read_table(name[1], &job);
    job.file = read_file(name[2], &job.size);
    int status = littlestone_check(&job);
    if (status == CHECK_DAMAGED) stop("is no certificate of form 3, or is damaged", name[2]);
    if (status == CHECK_ROOM) stop("there is not enough memory", name[2]);
    printf("LDim >= %" PRIu64 ": %s\n", job.lower, job.shattered ? "proved by a shattered tree" : "NOT proved");
    printf("LDim < %" PRIu64 ": %s (claims read: %" PRIu64 ")\n", job.upper + 1, above[job.above], job.claims);
    return status;
}
