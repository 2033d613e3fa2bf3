/* Check a certificate of a Littlestone dimension against its table.
 *
 * docs/certificate-format.md says what is read here, and docs/proofs/certificates.md why what is accepted is true.
 * Nothing is searched for: version spaces are made as the file says, and rows are counted in them.  Shapes are
 * compared in full, and no use is made of the fingerprint.
 *
 * A check keeps everything in a `checker`, so several threads may check at once.  It never ends the process.
 */
#include "check.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Hot loops are compiled for several processors, and the loader takes the best. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(CHECK_PLAIN)
#define FAST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "popcnt", "default")))
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
    word *planes;                      /* bit p of a counter for every column */
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
    word value = 0;
    for (int shift = 0; shift < 63 && c->at < c->job->size; shift += 7) {
        unsigned char byte = c->job->file[c->at++];
        value |= (word)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    return NONE;
}

INLINE size_t ones_of(const word *a, const word *mask, size_t words) {
    size_t total = 0;
    for (size_t w = 0; w < words; w++) total += (size_t)__builtin_popcountll(a[w] & mask[w]);
    return total;
}

FAST static size_t count_ones(const word *a, const word *mask, size_t words) { return ones_of(a, mask, words); }

/* All ones if side `side` of a column has the zeros. */
static word flip_of(int side) { return side ? 0 : ~(word)0; }

/* Bit c of word r becomes bit r of word c, in each of eight blocks (Hacker's Delight, 7-3). */
INLINE void transpose(vector a[64]) {
    word mask = 0xFFFFFFFF;
    for (int j = 32; j; j >>= 1, mask ^= mask << j)
        for (int i = 0; i < 64; i = (i + j + 1) & ~j) {
            vector moved = ((a[i] >> j) ^ a[i + j]) & mask;
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
        transpose(block);
        for (size_t b = 0; b < many; b++) {
            size_t part = 64 * ((first + b) % parts), here = columns - part < 64 ? columns - part : 64;
            word *to = column + part * words + (first + b) / parts;
            for (size_t i = 0; i < here; i++) to[i * words] = block[i][b];
        }
    }
}

/* Version spaces */

/* Memory for rows, which fill whole words of a mask, and for one more place with zeros. */
static word *room_for_rows(checker *c, size_t rows) {
    size_t places = (rows + 63) / 64 * 64 + 1;
    word *row = take(c, places * c->width, 8);
    memset(row + rows * c->width, 0, (places - rows) * c->width * 8);
    return row;
}

/* All stored rows. */
static space stored(checker *c, const word *row, size_t rows) {
    size_t words = (rows + 63) / 64;
    word *column = take(c, c->columns * words, 8), *mask = take(c, words, 8);
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

/* The same set, stored without other rows; so the first place has its first row, and so on. */
static space alone(checker *c, const space *v) {
    if (spare(v) == 0 && v->mask[v->words - 1] >> (v->rows - 1) % 64 == 1) return *v;
    size_t n = 0, width = c->width;
    word *row = room_for_rows(c, v->rows);
    for (size_t w = 0; w < v->words; w++)
        for (word left = v->mask[w]; left; left &= left - 1)
            memcpy(row + n++ * width, v->row + (64 * w + (size_t)__builtin_ctzll(left)) * width, width * 8);
    return stored(c, row, n);
}

/* Whether side s of column x is a subset of side t of column y. */
static int inside(const space *v, size_t x, int s, size_t y, int t) {
    const word *a = column_of(v, x), *b = column_of(v, y);
    for (size_t w = 0; w < v->words; w++)
        if ((a[w] ^ flip_of(s)) & ~(b[w] ^ flip_of(t)) & v->mask[w]) return 0;
    return 1;
}

/* Counting */

/* Set the bits of the columns with at least `least` rows on both sides, one column after the other. */
FAST static int splitters_by_columns(const space *v, size_t columns, size_t least, word *out) {
    int any = 0;
    for (size_t x = 0; x < columns; x++) {
        size_t n = ones_of(v->column + x * v->words, v->mask, v->words);
        int splits = n >= least && v->rows - n >= least;
        out[x / 64] |= (word)splits << x % 64;
        any |= splits;
    }
    return any;
}

/* List the places that have a row, eight by eight, because a branch for each would mostly be guessed wrong. */
INLINE size_t list_places(const space *v, uint32_t *listed) {
    size_t n = 0;
    for (size_t w = 0; w < v->words; w++) {
        word left = v->mask[w];
        size_t after = n + (size_t)__builtin_popcountll(left);
        for (; n < after; n += 8)
            for (size_t i = 0; i < 8; i++, left &= left - 1)
                listed[n + i] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(left | (word)1 << 63);
        n = after;
    }
    return n;
}

/* Add up the listed rows, whose number is a multiple of AT_ONCE vectors: bit p of eight words of counters, each for
 * 64 columns, goes to plane[p].  Narrow rows lie side by side in a vector, which then counts them apart. */
INLINE void add_up(const word *row, size_t width, size_t wide, const uint32_t *listed, size_t n, vector *plane,
                   size_t levels) {
    size_t each = 8 / wide;
    memset(plane, 0, levels * sizeof *plane);
    for (size_t first = 0; first < n; first += AT_ONCE * each) {
        vector carry[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++)
            for (size_t j = 0; j < each; j++)
                memcpy((word *)(carry + i) + j * wide, row + listed[first + i * each + j] * width, 8 * wide);
        /* Carry-save adders halve the vectors, whose bits then count twice (Hacker's Delight, 5-2). */
        size_t p = 0;
        for (size_t many = AT_ONCE; many > 1; many /= 2, p++) {
            vector total = plane[p];
            for (size_t i = 0; i < many; i += 2) {
                vector a = carry[i], b = carry[i + 1], one = total ^ a;
                carry[i / 2] = (total & a) | (one & b);
                total = one ^ b;
            }
            plane[p] = total;
        }
        for (; p < levels; p++) {
            vector above = plane[p] & carry[0];
            plane[p] ^= carry[0];
            carry[0] = above;
        }
    }
}

/* The same by adding up rows, for all columns at once; `least` is a power of two. */
FAST static int splitters_by_rows(const space *v, size_t width, size_t least, word *out, uint32_t *listed) {
    size_t n = list_places(v, listed), levels = 5, each = width < 8 ? 8 / width : 1;
    while (v->rows >> levels) levels++;
    for (; n % (AT_ONCE * each); n++) listed[n] = (uint32_t)(64 * v->words);  /* zeros */
    word most = v->rows - least;
    vector any = {0};
    for (size_t part = 0; part < width; part += 8) {
        vector plane[66], many = {0}, few = ~many;
        if (width == 2) add_up(v->row, 2, 2, listed, n, plane, levels);
        else if (width == 4) add_up(v->row, 4, 4, listed, n, plane, levels);
        else add_up(v->row + part, width, 8, listed, n, plane, levels);
        for (size_t half = 4; half >= width; half /= 2) {  /* the sums of rows that lay side by side */
            const vector turn = {half, half + 1, half + 2, half + 3, half + 4, half + 5, half + 6, half + 7};
            vector carry = {0};
            for (size_t p = 0; p < levels; p++) {
                vector a = plane[p], b = __builtin_shuffle(a, turn), one = a ^ b;
                plane[p] = one ^ carry;
                carry = (a & b) | (one & carry);
            }
        }
        for (size_t p = 0; p < levels; p++) {
            if (least >> p <= 1) many |= plane[p];
            few = most >> p & 1 ? few | ~plane[p] : few & ~plane[p];
        }
        many &= few, any |= many;
        memcpy(out + part, &many, (width < 8 ? width : 8) * 8);
    }
    for (size_t j = 1; j < 8 && j < width; j++) any[0] |= any[j];
    return any[0] != 0;
}

/* Write the set of columns with at least `least` rows on both sides; whether there is any. */
static int splitters(checker *c, const space *v, size_t least, word *out) {
    memset(out, 0, c->width * 8);
    if (v->rows < 2 * least) return 0;
    if (c->width == 1) return splitters_by_columns(v, c->columns, least, out);
    return splitters_by_rows(v, c->width, least, out, c->listed);
}

/* Rule 2: whether a side of column x is split by no column into parts of at least 2^(k-2) rows; the smaller side is
 * looked at first. */
static int counted(checker *c, const space *v, size_t x, word k) {
    block *before = c->last;
    int smaller = 2 * count_ones(column_of(v, x), v->mask, v->words) <= v->rows, found = 0;
    word *out = take(c, c->width, 8);
    for (int turn = 0; turn < 2 && k > 2 && !found; turn++) {
        space side = side_of(c, v, x, smaller ^ turn);
        found = !splitters(c, &side, (size_t)1 << (k - 2), out);
    }
    give_back(c, &c->last, before);
    return found;
}

/* Whether column x equals one before it, or the complement of one. */
static int repeated(const space *v, size_t x) {
    for (size_t y = 0; y < x; y++)
        for (int t = 0; t < 2; t++)
            if (inside(v, x, 1, y, t) && inside(v, x, 0, y, !t)) return 1;
    return 0;
}

/* Shapes */

static size_t hash_of(const word *a, size_t words) {
    word mixed = 0;
    for (size_t w = 0; w < words; w++) mixed = (mixed ^ mixed >> 29 ^ a[w]) * 0x9E3779B97F4A7C15;
    return (size_t)(mixed ^ mixed >> 32);
}

/* The slot of a column in a shape, which is 0 if it has no such column. */
static uint32_t *slot_in(const shape *s, const word *column) {
    size_t i = hash_of(column, s->words) & (s->slots - 1);
    while (s->slot[i] && memcmp(s->column + (s->slot[i] - 1) * s->words, column, s->words * 8))
        i = (i + 1) & (s->slots - 1);
    return s->slot + i;
}

/* Write column x of a space that is stored alone, 0 at the first row; whether it has two rows on both sides. */
static int normal(const space *v, size_t x, word *to) {
    const word *column = column_of(v, x);
    size_t n = count_ones(column, v->mask, v->words);
    if (n < 2 || v->rows - n < 2) return 0;
    word flip = column[0] & 1 ? ~(word)0 : 0;
    for (size_t w = 0; w < v->words; w++) to[w] = (column[w] ^ flip) & v->mask[w];
    return 1;
}

static const shape *shape_of(checker *c, const space *given) {
    block *before = c->last;
    space v = alone(c, given);
    shape *s = keep(c, 1, sizeof *s);
    size_t many = 0;
    word *one = take(c, v.words, 8);
    for (size_t x = 0; x < c->columns; x++) many += (size_t)normal(&v, x, one);
    word *column = keep(c, (many + 1) * v.words, 8);
    *s = (shape){v.rows, v.words, 0, 4, column, NULL};
    while (s->slots < 2 * many) s->slots *= 2;
    s->slot = keep(c, s->slots, sizeof *s->slot);
    for (size_t x = 0; x < c->columns; x++)
        if (normal(&v, x, column + s->columns * v.words)) {
            uint32_t *slot = slot_in(s, column + s->columns * v.words);
            if (!*slot) *slot = (uint32_t)++s->columns;
        }
    give_back(c, &c->last, before);
    return s;
}

/* Whether a set of rows has as many rows as the shape, and no other columns. */
static int has_shape(checker *c, const space *given, const shape *s) {
    if (given->rows != s->rows) return 0;
    block *before = c->last;
    space v = alone(c, given);
    word *one = take(c, v.words, 8);
    int good = 1;
    for (size_t x = 0; x < c->columns && good; x++)
        if (normal(&v, x, one)) good = *slot_in(s, one) != 0;
    give_back(c, &c->last, before);
    return good;
}

/* Symmetries */

typedef struct { const word *row; size_t width, slots; uint32_t *slot; } finder;  /* looks up rows */

/* The slot of a row, which is 0 if there is no such row. */
static uint32_t *slot_of(const finder *f, const word *row) {
    size_t i = hash_of(row, f->width) & (f->slots - 1);
    while (f->slot[i] && memcmp(f->row + (f->slot[i] - 1) * f->width, row, f->width * 8)) i = (i + 1) & (f->slots - 1);
    return f->slot + i;
}

/* Whether the literals of every row go to those of a row.  Column x becomes column to[2 x] / 2, complemented if
 * to[2 x] is odd; so these columns, transposed, are the images of the rows. */
FAST static int permutes_rows(const finder *f, const space *v, size_t columns, const uint32_t *to, word *images) {
    for (size_t first = 0; first < v->words; first += 8) {
        size_t many = v->words - first < 8 ? v->words - first : 8;
        for (size_t part = 0; part < f->width; part++) {
            vector block[64];
            memset(block, 0, sizeof block);
            for (size_t x = 0; x < columns; x++) {
                size_t literal = to[2 * x];
                if (literal / 128 != part) continue;
                const word *column = v->column + x * v->words + first;
                for (size_t b = 0; b < many; b++) block[literal / 2 % 64][b] = column[b] ^ (literal & 1 ? ~(word)0 : 0);
            }
            transpose(block);
            for (size_t b = 0; b < many; b++)
                for (size_t i = 0; i < 64; i++) images[(64 * b + i) * f->width + part] = block[i][b];
        }
        for (size_t i = 0; i < 64 * many && 64 * first + i < v->rows; i++)
            if (!*slot_of(f, images + i * f->width)) return 0;
    }
    return 1;
}

/* Read a symmetry; whether it permutes the columns, and the rows. */
static int read_generator(checker *c, const finder *f, const space *v, word *images, uint32_t *to) {
    block *before = c->last;
    unsigned char *met = memset(take(c, c->columns, 1), 0, c->columns);
    int good = 1;
    for (size_t x = 0; x < c->columns && good; x++) {
        word literal = number(c);
        good = literal < 2 * c->columns && !met[literal / 2];
        if (!good) break;
        met[literal / 2] = 1;
        to[2 * x] = (uint32_t)literal, to[2 * x + 1] = (uint32_t)literal ^ 1;
    }
    give_back(c, &c->last, before);
    return good && permutes_rows(f, v, c->columns, to, images);
}

/* Read a product of elements and of their inverses; whether these are there. */
static int read_word(checker *c, uint32_t *to) {
    block *before = c->last;
    size_t n = 2 * c->columns;
    uint32_t *back = take(c, n, sizeof *back);
    int good = 1;
    for (size_t i = 0; i < n; i++) to[i] = (uint32_t)i;
    for (word length = number(c); length && good; length--) {
        word letter = number(c);
        good = letter / 2 < c->elements && !c->job->stop;
        if (!good) break;
        const uint32_t *by = c->image[letter / 2];
        if (letter & 1) for (size_t i = 0; i < n; i++) back[by[i]] = (uint32_t)i;
        for (size_t i = 0; i < n; i++) to[i] = letter & 1 ? back[to[i]] : by[to[i]];
    }
    give_back(c, &c->last, before);
    return good;
}

/* The first column that is known to be in the orbit of column x. */
static uint32_t first(uint32_t *up, uint32_t x) {
    while (up[x] != x) x = up[x] = up[up[x]];
    return x;
}

static group trivial(checker *c) {
    group g = {keep(c, c->columns, sizeof *g.orbit), keep(c, c->columns, 1)};
    for (size_t x = 0; x < c->columns; x++) g.orbit[x] = (uint32_t)x;
    return g;
}

/* Add an element to a group. */
static void add(checker *c, group *g, const uint32_t *to) {
    for (uint32_t x = 0; x < c->columns; x++) {
        uint32_t a = first(g->orbit, x), b = first(g->orbit, to[2 * x] / 2);
        g->orbit[a > b ? a : b] = a > b ? b : a;
        g->moved[x] |= to[2 * x] != 2 * x;
    }
}

static uint32_t *new_element(checker *c) {
    return c->image[c->elements] = keep(c, 2 * c->columns, sizeof **c->image);
}

/* Read the generators; whether all are symmetries of the table. */
static int read_generators(checker *c, const space *v, word generators) {
    finder f = {v->row, c->width, 4, NULL};
    block *before = c->last;
    int good = generators <= MOST;
    if (!good || generators == 0) return good;
    while (f.slots < 2 * v->rows) f.slots *= 2;
    f.slot = memset(take(c, f.slots, sizeof *f.slot), 0, f.slots * sizeof *f.slot);
    for (size_t i = 0; i < v->rows; i++) *slot_of(&f, v->row + i * c->width) = (uint32_t)(i + 1);
    word *images = take(c, 8 * 64 * c->width, 8);
    for (; c->elements < generators && good; c->elements++) good = read_generator(c, &f, v, images, new_element(c));
    give_back(c, &c->last, before);
    return good;
}

/* Read what symmetries the file declares; whether all are symmetries of the table. */
static int read_symmetries(checker *c, const space *v) {
    word generators = number(c), words = 0, more = 0;
    c->none = trivial(c);
    c->image = keep(c, MOST, sizeof *c->image);
    c->groups = keep(c, MOST, sizeof *c->groups);
    if (!read_generators(c, v, generators)) return 0;
    if (generators) words = number(c);
    if (words > MOST - generators) return 0;
    for (; c->elements < generators + words; c->elements++)
        if (!read_word(c, new_element(c))) return 0;
    if (generators) more = 1 + number(c);
    if (more > MOST || (generators && more == 0)) return 0;
    for (; c->grouped < more; c->grouped++) {
        word count = c->grouped ? number(c) : generators;
        group *g = c->groups + c->grouped;
        *g = trivial(c);
        for (word i = 0; i < count; i++) {
            word e = c->grouped ? number(c) : i;
            if (e >= c->elements || c->job->stop) return 0;
            add(c, g, c->image[e]);
        }
        for (uint32_t x = 0; x < c->columns; x++) g->orbit[x] = first(g->orbit, x);
    }
    return 1;
}

/* Claims */

static int accept(checker *c, const space *v, word k, word parent, word literal, const group *g);

/* Read what is said of side s of column x; whether it shows LDim < k - 1 for that side. */
static int step(checker *c, const space *v, word k, size_t me, const unsigned char *dead, size_t x, int s) {
    word kind = number(c), literal = 2 * x + (word)s, value = kind ? number(c) : 0;
    claim *claims = c->claims;
    if (kind == 0 || kind == 4) {
        if (kind && value >= c->grouped) return 0;
        const group *g = kind ? c->groups + value : &c->none;
        if (g->moved[x]) return 0;
        for (word a = me; a && kind; a = claims[a].parent)
            if (g->moved[claims[a].literal / 2]) return 0;
        space side = side_of(c, v, x, s);
        c->path[literal]++;
        int good = accept(c, &side, k - 1, me, literal, g);
        c->path[literal]--;
        return good;
    }
    if (kind == 1)
        return value / 2 < c->columns && dead[value / 2] == 1 + value % 2 && inside(v, x, s, value / 2, value & 1);
    if (kind > 3 || value >= c->made || claims[c->made - 1 - value].k >= k) return 0;
    const claim *other = claims + (c->made - 1 - value);
    if (kind == 2) {
        for (word a = (word)(other - claims); a; a = claims[a].parent)
            if (claims[a].literal != literal && !c->path[claims[a].literal]) return 0;
        return 1;
    }
    space side = side_of(c, v, x, s);
    return other->shape && has_shape(c, &side, other->shape);
}

/* Whether every column is settled; `dead` has 1 + side for the columns of steps. */
static int settled(checker *c, const space *given, word k, const unsigned char *dead, const group *g) {
    word *tried = take(c, c->width, 8);
    if (!splitters(c, given, (size_t)1 << (k - 1), tried)) return 1;  /* rule 1 */
    int dear = spare(given) * count_ones(tried, tried, c->width) > 2 * given->rows;
    space chosen = dear ? alone(c, given) : *given, *v = &chosen;
    unsigned char *done = memset(take(c, c->columns, 1), 0, c->columns);  /* orbits */
    for (size_t x = 0; x < c->columns && dead; x++) done[g->orbit[x]] |= dead[x];
    for (size_t part = 0; part < c->width; part++)
        for (word left = tried[part]; left; left &= left - 1) {
            size_t x = 64 * part + (size_t)__builtin_ctzll(left);
            unsigned char *orbit = done + g->orbit[x];
            *orbit = *orbit || counted(c, v, x, k);
            if (!*orbit && !repeated(v, x)) return 0;
            if (c->job->stop) longjmp(c->out, CHECK_STOPPED);
        }
    return 1;
}

/* Read the claim LDim < k about a version space, under a group; whether it follows. */
static int accept(checker *c, const space *given, word k, word parent, word literal, const group *g) {
    size_t me = c->made++;
    int few = given->rows >> k == 0, good = me < c->declared && (k >= 2 || few);
    c->job->claims = c->made;
    if (c->job->stop) longjmp(c->out, CHECK_STOPPED);
    if (!good) return 0;
    c->claims[me] = (claim){k, parent, literal, NULL};
    block *before = c->last;
    space v = *given;
    unsigned char *dead = NULL;
    word next = number(c);
    if (next >= 2) {
        if (spare(given)) v = alone(c, given);
        dead = memset(take(c, c->columns, 1), 0, c->columns);
    }
    for (; good && next >= 2; next = good ? number(c) : 0) {
        block *inner = c->last;
        size_t x = (next - 2) / 2, n;
        good = !few && x < c->columns && !dead[x];
        if (!good) break;
        n = count_ones(column_of(&v, x), v.mask, v.words);
        good = n >= 2 && v.rows - n >= 2 && step(c, &v, k, me, dead, x, next & 1);
        dead[x] = (unsigned char)(1 + (next & 1));
        give_back(c, &c->last, inner);
    }
    good = good && (few || settled(c, &v, k, dead, g));
    if (good && next == 1) c->claims[me].shape = shape_of(c, &v);
    give_back(c, &c->last, before);
    return good;
}

/* Whether the leaves of the tree give the answers of the paths that lead to them. */
static int shattered(const check_job *job, word depth, const word *point, const word *leaf) {
    size_t width = (job->columns + 63) / 64;
    for (word i = 0; i >> depth == 0; i++) {
        if (leaf[i] >= job->count) return 0;
        for (word level = 0; level < depth; level++) {
            word x = point[((word)1 << level) - 1 + (i >> (depth - level))];
            if (x >= job->columns) return 0;
            if ((job->rows[leaf[i] * width + x / 64] >> x % 64 & 1) != (i >> (depth - level - 1) & 1)) return 0;
        }
    }
    return 1;
}

/* Whether the claims follow, and the first is LDim < k about the whole table. */
static int follows(checker *c, word k) {
    size_t given = (c->columns + 63) / 64, rows = c->job->count;
    for (c->width = 1; c->width < given; c->width = c->width < 8 ? 2 * c->width : c->width + 8) {}
    word *row = room_for_rows(c, rows);
    for (size_t i = 0; i < rows; i++) {
        memset(row + i * c->width, 0, c->width * 8);
        memcpy(row + i * c->width, c->job->rows + i * given, given * 8);
    }
    space all = stored(c, row, rows);
    c->claims = keep(c, c->declared, sizeof *c->claims);
    c->path = keep(c, 2 * c->columns, 1);
    c->listed = keep(c, rows + 8 * AT_ONCE, sizeof *c->listed);
    return read_symmetries(c, &all) && accept(c, &all, k, 0, 0, c->grouped ? c->groups : &c->none)
        && c->made == c->declared;
}

static int check(checker *c) {
    static const char mark[] = "littlestone-certificate 3\n";
    check_job *job = c->job;
    c->at = sizeof mark - 1 + 32;
    if (job->size < c->at || memcmp(job->file, mark, sizeof mark - 1)) return CHECK_DAMAGED;
    job->lower = number(c), job->upper = number(c);
    if (job->lower > job->upper || job->upper >= 62 || job->size >> job->lower == 0) return CHECK_DAMAGED;
    word nodes = ((word)1 << job->lower) - 1, *tree = take(c, 2 * nodes + 1, 8);
    for (word i = 0; i < 2 * nodes + 1; i++)
        if ((tree[i] = number(c)) == NONE) return CHECK_DAMAGED;
    c->declared = number(c);
    if (c->declared > job->size - c->at || (!c->declared && c->at < job->size)) return CHECK_DAMAGED;
    job->shattered = shattered(job, job->lower, tree, tree + nodes);
    give_back(c, &c->last, NULL);
    if (c->declared)
        job->above = follows(c, job->upper + 1) && c->at == job->size ? BY_CLAIMS : REFUSED;
    else
        job->above = job->count >> (job->upper + 1) == 0 ? BY_COUNTING : WITHOUT_PROOF;
    if (job->stop) return CHECK_STOPPED;
    return job->shattered && job->above <= BY_COUNTING ? CHECK_PROVED : CHECK_UNPROVED;
}

int littlestone_check(check_job *job) {
    checker *c = calloc(1, sizeof *c);
    if (c == NULL || job->count == 0 || job->columns == 0 || job->count >= UINT32_MAX / 2 || job->columns >= UINT32_MAX / 4) {
        free(c);
        return CHECK_ROOM;
    }
    c->job = job, c->columns = job->columns;
    job->claims = 0;
    job->shattered = 0, job->above = REFUSED;
    int found = setjmp(c->out);
    if (found == 0) found = check(c);
    give_back(c, &c->last, NULL);
    give_back(c, &c->kept, NULL);
    free(c);
    return found;
}

size_t littlestone_distinct(uint64_t *rows, size_t count, size_t columns) {
    finder f = {rows, (columns + 63) / 64, 4, NULL};
    size_t n = 0;
    while (f.slots < 2 * count) f.slots *= 2;
    f.slot = calloc(f.slots, sizeof *f.slot);
    for (size_t i = 0; i < count && f.slot; i++) {
        uint32_t *slot = slot_of(&f, rows + i * f.width);
        if (*slot) continue;
        if (n < i) memcpy(rows + n * f.width, rows + i * f.width, f.width * 8);
        *slot = (uint32_t)++n;
    }
    free(f.slot);
    return n;
}
