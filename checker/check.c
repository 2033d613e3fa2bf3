/* Check a certificate of a Littlestone dimension against its table.
 *
 *     gcc -O3 -march=native -o check check.c
 *     ./check table.npy certificate.ldim
 *
 * This program needs nothing but a C compiler.  docs/certificate-format.md says what it reads, and
 * docs/proofs/certificates.md why what it accepts is true.  It compares shapes in full and makes no use of the
 * fingerprint.  The exit status is 0 if both bounds are proved for this table, 1 if one is not, and 2 if a file
 * cannot be read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t word;
/* A set of rows of the table, and the bits of each column on them, with zeros after the last row. */
typedef struct { size_t rows, words, *ones; word *row, *column; } space;
/* A claim LDim < k: its parent, its last restriction 2 * column + side, its shape if it is kept. */
typedef struct { word k, parent, literal, *shape; size_t rows, size; } claim;
/* A group of symmetries: the orbit of each column, and whether an element moves a literal of it. */
typedef struct { size_t *orbit; unsigned char *moved; } group;

enum { MOST = 4096 };  /* elements, and groups */
static size_t rows, columns, width;   /* distinct rows, columns, and words of a row */
static word *table;                   /* the rows, one after another */
static size_t *slot, slots;           /* where a row is looked up: 1 + its number, or 0 */
static size_t **image, elements;      /* element e takes literal 2 * column + side to image[e][literal] */
static group *groups, none;
static size_t grouped;                /* groups */
static claim *claims;
static size_t made, declared;         /* claims met so far, and in the file */
static unsigned char *path;           /* [2 * column + side]: how often the path has this restriction */
static unsigned char *file;
static size_t file_size, at;

static void stop(const char *reason, const char *name) {
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

/* The next number of the certificate, seven bits to a byte, the lowest first; at most 63 bits. */
static word number(void) {
    word value = 0;
    for (int shift = 0; shift < 63 && at < file_size; shift += 7) {
        value |= (word)(file[at] & 127) << shift;
        if (file[at++] < 128) return value;
    }
    stop("cut off or damaged", "the certificate");
    return 0;
}

/* The slot of a row, which is 0 if there is no such row. */
static size_t *slot_of(const word *r) {
    word mixed = 0;
    for (size_t w = 0; w < width; w++) mixed = (mixed ^ mixed >> 29 ^ r[w]) * 0x9E3779B97F4A7C15;
    size_t s = (mixed ^ mixed >> 32) & (slots - 1);
    while (slot[s] && memcmp(table + (slot[s] - 1) * width, r, width * 8)) s = (s + 1) & (slots - 1);
    return slot + s;
}

/* Keep the distinct rows of a .npy table, in the order of their first appearance. */
static void read_table(const char *name) {
    size_t size, many, start = 10;
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
    width = (columns + 63) / 64;
    for (slots = 4; slots < 2 * many; slots *= 2);
    slot = room(slots, sizeof *slot);
    table = room(many * width, 8);
    for (size_t i = 0; i < many; i++) {
        word *r = table + rows * width;
        memset(r, 0, width * 8);
        for (size_t j = 0; j < columns; j++) {
            unsigned char value = byte[start + i * columns + j];
            if (value > 1) stop("has other values than 0 and 1", name);
            r[j / 64] |= (word)value << j % 64;
        }
        size_t *at_row = slot_of(r);
        if (!*at_row) *at_row = ++rows;
    }
    free(byte);
}

/* Whether the literals of every row go to those of a row. */
static int permutes_rows(const size_t *to) {
    word *moved = room(width, 8);
    int good = 1;
    for (size_t i = 0; i < rows && good; i++) {
        memset(moved, 0, width * 8);
        for (size_t x = 0; x < columns; x++) {
            size_t literal = to[2 * x + (table[i * width + x / 64] >> x % 64 & 1)];
            moved[literal / 128] |= (word)(literal & 1) << literal / 2 % 64;
        }
        good = *slot_of(moved) != 0;
    }
    free(moved);
    return good;
}

/* Read a symmetry; whether it permutes the columns, and the rows. */
static int read_generator(size_t *to) {
    unsigned char *met = room(columns, 1);
    int good = 1;
    for (size_t x = 0; x < columns && good; x++) {
        word literal = number();
        good = literal < 2 * columns && !met[literal / 2];
        if (!good) break;
        met[literal / 2] = 1;
        to[2 * x] = literal, to[2 * x + 1] = literal ^ 1;
    }
    free(met);
    return good && permutes_rows(to);
}

/* Read a product of elements and of their inverses; whether these are there. */
static int read_word(size_t *to) {
    size_t n = 2 * columns, *back = room(n, sizeof *back);
    int good = 1;
    for (size_t i = 0; i < n; i++) to[i] = i;
    for (word length = number(); length && good; length--) {
        word letter = number();
        good = letter / 2 < elements;
        if (!good) break;
        const size_t *by = image[letter / 2];
        if (letter & 1) for (size_t i = 0; i < n; i++) back[by[i]] = i;
        for (size_t i = 0; i < n; i++) to[i] = letter & 1 ? back[to[i]] : by[to[i]];
    }
    free(back);
    return good;
}

/* The first column that is known to be in the orbit of column x. */
static size_t first(size_t *up, size_t x) {
    while (up[x] != x) x = up[x] = up[up[x]];
    return x;
}

static group trivial(void) {
    group g = {room(columns, sizeof *g.orbit), room(columns, 1)};
    for (size_t x = 0; x < columns; x++) g.orbit[x] = x;
    return g;
}

/* Add an element to a group. */
static void add(group *g, const size_t *to) {
    for (size_t x = 0; x < columns; x++) {
        size_t a = first(g->orbit, x), b = first(g->orbit, to[2 * x] / 2);
        g->orbit[a > b ? a : b] = a > b ? b : a;
        g->moved[x] |= to[2 * x] != 2 * x;
    }
}

/* Read what symmetries the file declares; whether all are symmetries of the table. */
static int read_symmetries(void) {
    word generators = number(), words = 0, more = 0;
    image = room(MOST, sizeof *image);
    groups = room(MOST, sizeof *groups);
    none = trivial();
    if (generators > MOST) return 0;
    for (; elements < generators; elements++)
        if (!read_generator(image[elements] = room(2 * columns, sizeof **image))) return 0;
    if (generators) words = number();
    if (words > MOST - generators) return 0;
    for (; elements < generators + words; elements++)
        if (!read_word(image[elements] = room(2 * columns, sizeof **image))) return 0;
    if (generators) more = 1 + number();
    if (more > MOST) return 0;
    for (; grouped < more; grouped++) {
        word count = grouped ? number() : generators;
        groups[grouped] = trivial();
        for (word i = 0; i < count; i++) {
            word e = grouped ? number() : i;
            if (e >= elements) return 0;
            add(groups + grouped, image[e]);
        }
        for (size_t x = 0; x < columns; x++) groups[grouped].orbit[x] = first(groups[grouped].orbit, x);
    }
    return 1;
}

/* Bit c of word r becomes bit r of word c (Hacker's Delight, 7-3). */
static void transpose(word a[64]) {
    word mask = 0xFFFFFFFF;
    for (int j = 32; j; j >>= 1, mask ^= mask << j)
        for (int i = 0; i < 64; i = (i + j + 1) & ~j) {
            word moved = ((a[i] >> j) ^ a[i + j]) & mask;
            a[i + j] ^= moved;
            a[i] ^= moved << j;
        }
}

/* The version space of these rows. */
static space whole(size_t count, word *row) {
    size_t words = (count + 63) / 64;
    space v = {count, words, room(columns, sizeof(size_t)), row, room(columns * words, 8)};
    for (size_t part = 0; part < columns; part += 64)
        for (size_t w = 0; w < words; w++) {
            word block[64] = {0};
            for (size_t i = 0; i < 64 && 64 * w + i < count; i++)
                block[i] = row[(64 * w + i) * width + part / 64];
            transpose(block);
            for (size_t x = part; x < columns && x < part + 64; x++) {
                v.column[x * words + w] = block[x - part];
                v.ones[x] += (size_t)__builtin_popcountll(block[x - part]);
            }
        }
    return v;
}

/* Word w of column x; complemented if `flip`, without the bits after the last row. */
static word bits(const space *v, size_t x, size_t w, int flip) {
    word value = v->column[x * v->words + w] ^ (flip ? ~(word)0 : 0);
    return flip && w + 1 == v->words && v->rows % 64 ? value & (((word)1 << v->rows % 64) - 1) : value;
}

static space side_of(const space *v, size_t x, int side) {
    size_t count = 0;
    word *row = room((side ? v->ones[x] : v->rows - v->ones[x]) * width, 8);
    for (size_t w = 0; w < v->words; w++)
        for (word left = bits(v, x, w, !side); left; left &= left - 1)
            memcpy(row + count++ * width, v->row + (64 * w + (size_t)__builtin_ctzll(left)) * width, width * 8);
    return whole(count, row);
}

static void drop(space *v) { free(v->ones), free(v->row), free(v->column); }

/* Whether column x has at least so many rows on both sides. */
static int splits(const space *v, size_t x, size_t least) {
    return v->ones[x] >= least && v->rows - v->ones[x] >= least;
}

static size_t compared;  /* words */
static int compare(const void *a, const void *b) { return memcmp(a, b, 8 * compared); }

/* The columns with two rows on both sides, 0 at the first row, sorted and without repetitions. */
static word *shape_of(const space *v, size_t *size) {
    size_t n = v->words, kept = 0, distinct = 0;
    word *shape = room(columns * n, 8);
    for (size_t x = 0; x < columns; x++)
        if (splits(v, x, 2)) {
            for (size_t w = 0; w < n; w++) shape[kept * n + w] = bits(v, x, w, v->column[x * n] & 1);
            kept++;
        }
    compared = n;
    qsort(shape, kept, 8 * n, compare);
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || compare(shape + i * n, shape + (distinct - 1) * n))
            memmove(shape + distinct++ * n, shape + i * n, 8 * n);
    *size = 8 * n * distinct;
    return realloc(shape, *size + 8);
}

/* Whether side s of column x is a subset of side t of column y. */
static int inside(const space *v, size_t x, int s, size_t y, int t) {
    for (size_t w = 0; w < v->words; w++)
        if (bits(v, x, w, !s) & bits(v, y, w, t)) return 0;
    return 1;
}

/* Whether a side of column x is so small, or split by so few columns, that it has LDim < k - 1. */
static int counted(const space *v, size_t x, word k) {
    size_t half = (size_t)1 << (k - 1), least = half / 2, n = v->ones[x], split0 = 0, split1 = 0;
    if (!splits(v, x, half)) return 1;
    for (size_t y = 0; y < columns && k > 2 && !(split0 && split1); y++) {
        const word *a = v->column + x * v->words, *b = v->column + y * v->words;
        size_t both = 0, m = v->ones[y];
        if (!splits(v, y, least)) continue;
        for (size_t w = 0; w < v->words; w++) both += (size_t)__builtin_popcountll(a[w] & b[w]);
        split1 |= both >= least && n - both >= least;
        split0 |= m - both >= least && v->rows - n - m + both >= least;
    }
    return k > 2 && !(split0 && split1);
}

/* Whether column x equals one before it, or the complement of one. */
static int repeated(const space *v, size_t x) {
    for (size_t y = 0; y < x; y++) {
        if (v->ones[y] == v->ones[x] && inside(v, x, 1, y, 1)) return 1;
        if (v->ones[y] == v->rows - v->ones[x] && inside(v, x, 1, y, 0)) return 1;
    }
    return 0;
}

static int accept(const space *v, word k, word parent, word literal, const group *g);

/* Read what is said of side s of column x; whether it shows LDim < k - 1 for that side. */
static int step(const space *v, word k, size_t me, const unsigned char *dead, size_t x, int s) {
    word kind = number(), literal = 2 * x + (word)s;
    space side;
    int good;
    if (kind == 0 || kind == 4) {
        word p = kind ? number() : 0;
        if (kind && p >= grouped) return 0;
        const group *g = kind ? groups + p : &none;
        if (g->moved[x]) return 0;
        for (word a = me; a; a = claims[a].parent)
            if (g->moved[claims[a].literal / 2]) return 0;
        side = side_of(v, x, s);
        path[literal]++;
        good = accept(&side, k - 1, me, literal, g);
        path[literal]--;
        drop(&side);
        return good;
    }
    word value = number();
    if (kind == 1)
        return value / 2 < columns && dead[value / 2] == 1 + value % 2 && inside(v, x, s, value / 2, value & 1);
    if (kind > 3 || value >= made || claims[made - 1 - value].k >= k) return 0;
    claim *c = claims + (made - 1 - value);
    if (kind == 2) {
        for (word a = (word)(c - claims); a; a = claims[a].parent)
            if (claims[a].literal != literal && !path[claims[a].literal]) return 0;
        return 1;
    }
    side = side_of(v, x, s);
    size_t size;
    word *shape = shape_of(&side, &size);
    good = c->shape && c->rows == side.rows && c->size == size && !memcmp(c->shape, shape, size);
    free(shape), drop(&side);
    return good;
}

/* Read the claim LDim < k about a version space, under a group; whether it follows. */
static int accept(const space *v, word k, word parent, word literal, const group *g) {
    size_t me = made++;
    int few = v->rows >> k == 0, good = me < declared && (k >= 2 || few);
    if (!good) return 0;
    claims[me] = (claim){k, parent, literal, NULL, v->rows, 0};
    unsigned char *dead = room(columns, 1);  /* 1 + side of the step about a column */
    unsigned char *done = room(columns, 1);  /* 1 for an orbit with a column that a step or a count settles */
    word next = number();
    for (; good && next >= 2; next = good ? number() : 0) {
        size_t x = (next - 2) / 2;
        good = !few && x < columns && !dead[x] && splits(v, x, 2) && step(v, k, me, dead, x, next & 1);
        if (good) dead[x] = (unsigned char)(1 + (next & 1)), done[g->orbit[x]] = 1;
    }
    for (size_t x = 0; x < columns && good && !few; x++) {
        unsigned char *orbit = done + g->orbit[x];
        *orbit = *orbit || counted(v, x, k);
        good = *orbit || repeated(v, x);
    }
    if (good && next == 1) claims[me].shape = shape_of(v, &claims[me].size);
    free(dead), free(done);
    return good;
}

/* Whether the leaves of the tree give the answers of the paths that lead to them. */
static int shattered(word depth, const word *point, const word *leaf) {
    for (word i = 0; i >> depth == 0; i++)
        for (word level = 0; level < depth; level++) {
            word x = point[((word)1 << level) - 1 + (i >> (depth - level))];
            if (leaf[i] >= rows || x >= columns) return 0;
            if ((table[leaf[i] * width + x / 64] >> x % 64 & 1) != (i >> (depth - level - 1) & 1)) return 0;
        }
    return depth > 0 || leaf[0] < rows;
}

int main(int count, char **name) {
    static const char mark[] = "littlestone-certificate 3\n";
    if (count != 3) stop("usage: check TABLE.npy CERTIFICATE", "check");
    read_table(name[1]);
    file = read_file(name[2], &file_size);
    at = sizeof mark - 1 + 32;
    if (file_size < at || memcmp(file, mark, sizeof mark - 1)) stop("is no certificate in the binary form 3", name[2]);
    word lower = number(), upper = number();
    if (lower > upper || upper >= 62 || file_size >> lower == 0) stop("has bounds that cannot be", name[2]);
    word nodes = ((word)1 << lower) - 1, *tree = room(2 * nodes + 1, 8);
    for (word i = 0; i < 2 * nodes + 1; i++) tree[i] = number();
    declared = number();
    if (declared > file_size - at) stop("cut off or damaged", name[2]);
    int below = shattered(lower, tree, tree + nodes), above = rows >> (upper + 1) == 0;
    if (declared) {
        claims = room(declared, sizeof *claims);
        path = room(2 * columns, 1);
        space all = whole(rows, table);
        above = read_symmetries() && accept(&all, upper + 1, 0, 0, grouped ? groups : &none) && made == declared;
    }
    above = above && at == file_size;
    printf("LDim >= %" PRIu64 ": %s\n", lower, below ? "proved by a shattered tree" : "NOT proved");
    printf("LDim < %" PRIu64 ": %s (claims read: %zu)\n", upper + 1, above ? "proved" : "NOT proved", made);
    return !(below && above);
}
