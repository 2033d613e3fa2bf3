/* Version spaces: sets of rows of the table, with the memory and the numbers of one check. */
#include "check.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Hot loops are compiled for several processors, and the loader takes the best. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(CHECK_PLAIN) && __GNUC__ >= 12
#define FAST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "popcnt", "default")))
#elif defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(CHECK_PLAIN)
#define FAST __attribute__((target_clones("avx2", "popcnt", "default")))
#else
#define FAST
#endif
#define INLINE static inline __attribute__((always_inline))

typedef uint64_t word;
typedef word vector __attribute__((vector_size(64)));  /* eight words */

/* A set of rows among those that are stored: `mask` has a bit for each place, and 1 where a row belongs to the
 * set.  A column has the values of all places, 64 to a word. */
typedef struct { size_t rows, words; const word *mask, *row, *column; } space;
/* The columns of a version space that have two rows on both sides, 0 at the first row, each once. */
typedef struct { size_t rows, words, columns, slots; const word *column; uint32_t *slot; } shape;
/* A claim LDim < k: its parent, its last restriction 2 * column + side, its shape if it is kept. */
typedef struct { word k, parent, literal; const shape *shape; } claim;
/* A group of symmetries: the orbit of each column, and whether an element moves a literal of it. */
typedef struct { uint32_t *orbit; unsigned char *moved; } group;
typedef struct block { struct block *before; size_t size; } block;

enum {
    MOST = 4096,  /* elements, and groups */
    AT_ONCE = 16  /* vectors of rows that are added up at once */
};
#define NONE UINT64_MAX  /* where the file has no number */

typedef struct {
    check_job *job;
    size_t columns, width;             /* columns of the table, and words of a row as it is stored */
    size_t at;                         /* the next byte of the file */
    uint32_t **image; size_t elements; /* element e takes literal 2 * column + side to image[e][literal] */
    group *groups, none; size_t grouped;
    claim *claims; size_t made, declared;
    unsigned char *path;               /* [2 * column + side]: how often the path has this restriction */
    uint32_t *listed;                  /* places of rows that are added up */
    word *unsplit; size_t slots, used; /* sets of literals whose rows rule 2 was found to hold of */
    unsigned char *smaller;            /* the side of each column with fewer rows of the table */
    block *last, *kept;                /* memory of version spaces, and of what stays to the end */
    size_t taken;
    jmp_buf out;
} checker;

/* Memory */

static void *obtain(checker *c, block **list, size_t count, size_t size) {
    size_t bytes = count > SIZE_MAX / 4 / size ? SIZE_MAX / 2 : count * size + sizeof(block) + 64;
    block *b = bytes > c->job->room - c->taken ? NULL : malloc(bytes);
    if (b == NULL) longjmp(c->out, CHECK_ROOM);
    *b = (block){*list, bytes};
    c->taken += bytes;
    return (*list = b) + 1;
}

/* Memory until `give_back`. */
static void *take(checker *c, size_t count, size_t size) { return obtain(c, &c->last, count, size); }

/* Memory with zeros, to the end of the check. */
static void *keep(checker *c, size_t count, size_t size) { return memset(obtain(c, &c->kept, count, size), 0, count * size); }

static void give_back(checker *c, block **list, block *until) {
    while (*list != until) {
        block *b = *list;
        *list = b->before;
        c->taken -= b->size;
        free(b);
    }
}

/* Numbers and bits */

/* The next number of the file, seven bits to a byte, the lowest first; NONE if it is cut off or too long. */
static word number(checker *c) {
    const unsigned char *file = c->job->file;
    word value = 0;
    size_t at = c->at, size = c->job->size;
    for (int shift = 0; shift < 63 && at < size; shift += 7) {
        unsigned char byte = file[at++];
        value |= (word)(byte & 127) << shift;
        if (byte < 128) return c->at = at, value;
    }
    return c->at = at, NONE;
}

INLINE size_t ones_of(const word *a, const word *mask, size_t words) {
    size_t total = 0;
    for (size_t w = 0; w < words; w++) total += (size_t)__builtin_popcountll(a[w] & mask[w]);
    return total;
}

FAST static size_t count_ones(const word *a, const word *mask, size_t words) { return ones_of(a, mask, words); }

/* All ones if side `side` of a column has the zeros. */
static word flip_of(int side) { return side ? 0 : ~(word)0; }

/* Bit c of word r becomes bit r of word c < many, in each of eight blocks (Hacker's Delight, 7-3).  The first step
 * tells words of c < 32 from the others. */
INLINE void transpose(vector a[64], size_t many) {
    const word masks[6] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF,
                           0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
#pragma GCC unroll 6
    for (int step = 5; step >= 0; step--)
        for (int j = 1 << step, first = 0; first < (step < 5 && many <= 32 ? 32 : 64); first += 2 * j)
            for (int i = first; i < first + j; i++) {
                vector moved = ((a[i] >> j) ^ a[i + j]) & masks[step];
                a[i + j] ^= moved;
                a[i] ^= moved << j;
            }
}

/* The columns of stored rows, of which there are `rows`; `width` words to a row. */
FAST static void make_columns(const word *row, size_t rows, size_t width, word *column, size_t columns) {
    size_t words = (rows + 63) / 64, parts = (columns + 63) / 64, blocks = words * parts;
    vector block[64];
    for (size_t first = 0; first < blocks; first += 8) {
        size_t many = blocks - first < 8 ? blocks - first : 8;
        memset(block, 0, sizeof block);
        for (size_t b = 0; b < many; b++) {
            size_t w = (first + b) / parts, here = rows - 64 * w < 64 ? rows - 64 * w : 64;
            const word *from = row + 64 * w * width + (first + b) % parts;
            for (size_t i = 0; i < here; i++) block[i][b] = from[i * width];
        }
        transpose(block, columns);
        for (size_t b = 0; b < many; b++) {
            size_t part = 64 * ((first + b) % parts), here = columns - part < 64 ? columns - part : 64;
            word *to = column + part * words + (first + b) / parts;
            for (size_t i = 0; i < here; i++) to[i * words] = block[i][b];
        }
    }
}

/* Version spaces */

/* Places for rows, which fill whole words of a mask, and eight more. */
static size_t places(size_t rows) { return (rows + 63) / 64 * 64 + 8; }

static word *room_for_rows(checker *c, size_t rows) { return take(c, places(rows) * c->width, 8); }

/* All stored rows.  The places after the last one get zeros. */
static space stored(checker *c, word *row, size_t rows) {
    size_t words = (rows + 63) / 64;
    word *column = take(c, c->columns * words, 8), *mask = take(c, words, 8);
    memset(row + rows * c->width, 0, (places(rows) - rows) * c->width * 8);
    make_columns(row, rows, c->width, column, c->columns);
    memset(mask, 255, words * 8);
    if (rows % 64) mask[words - 1] = ((word)1 << rows % 64) - 1;
    return (space){rows, words, mask, row, column};
}

static const word *column_of(const space *v, size_t x) { return v->column + x * v->words; }

/* The rows whose value at column x is s, where they are. */
static space side_of(checker *c, const space *v, size_t x, int s) {
    word *mask = take(c, v->words, 8), flip = flip_of(s);
    const word *column = column_of(v, x);
    for (size_t w = 0; w < v->words; w++) mask[w] = (column[w] ^ flip) & v->mask[w];
    return (space){count_ones(mask, mask, v->words), v->words, mask, v->row, v->column};
}

/* Words of the mask that the rows alone would not need. */
static size_t spare(const space *v) { return v->words - (v->rows + 63) / 64; }

/* Write the rows of a set one after the other; eight by eight if they are single words, because a branch for each
 * would mostly be guessed wrong. */
FAST static void gather(const space *v, size_t width, word *to) {
    size_t n = 0;
    for (size_t w = 0; w < v->words; w++) {
        const word *from = v->row + 64 * w * width;
        word left = v->mask[w];
        size_t end = n + (size_t)__builtin_popcountll(left);
        for (; width == 1 && n < end; n += 8)
            for (size_t i = 0; i < 8; i++, left &= left - 1)
                to[n + i] = from[__builtin_ctzll(left | (word)1 << 63)];
        for (; width > 1 && left; left &= left - 1)
            memcpy(to + n++ * width, from + (size_t)__builtin_ctzll(left) * width, width * 8);
        n = end;
    }
}

/* The same set, stored without other rows; so the first place has its first row, and so on. */
static space alone(checker *c, const space *v) {
    if (spare(v) == 0 && v->mask[v->words - 1] >> (v->rows - 1) % 64 == 1) return *v;
    word *row = room_for_rows(c, v->rows);
    gather(v, c->width, row);
    return stored(c, row, v->rows);
}

/* Whether side s of column x is a subset of side t of column y. */
static int inside(const space *v, size_t x, int s, size_t y, int t) {
    const word *a = column_of(v, x), *b = column_of(v, y);
    for (size_t w = 0; w < v->words; w++)
        if ((a[w] ^ flip_of(s)) & ~(b[w] ^ flip_of(t)) & v->mask[w]) return 0;
    return 1;
}
