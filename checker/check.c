/* Check a certificate of a Littlestone dimension against its table.
 *
 *     gcc -O3 -march=native -o check check.c
 *     ./check table.npy certificate.ldim
 *
 * This program needs nothing but a C compiler.  docs/certificate-format.md says what it reads, and
 * docs/proofs/certificates.md why what it accepts is true.  It prints one line for each bound.  The exit
 * status is 0 if no proof fails, 1 if one does, and 2 if a file cannot be read or is about another table.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t word;
typedef struct { size_t size, at; unsigned char *byte; } text;
/* A version space: rows as in the table; the kept columns with names, ones and bits, zeros at the end. */
typedef struct { size_t rows, words, kept, *name, *ones; word *row, *column; } frame;
/* An accepted claim LDim < k: its parent, its last restriction 2 * column + side, its shape. */
typedef struct { word k, parent, literal, has_shape, shape[6]; } claim;

static size_t rows, columns, width;   /* distinct rows, columns, and words of a row */
static word *keys;                    /* random, for fingerprints: [position][8], 32 bits each */
static claim *claims;
static size_t made, declared;         /* claims met so far, and in the file */
static unsigned char *path;           /* [2 * column + side]: how often the path has this restriction */
static text file;

static void stop(int status, const char *format, ...) {
    va_list more;
    va_start(more, format);
    vfprintf(status == 1 ? stdout : stderr, format, more);
    va_end(more);
    exit(status);
}

static void *room(size_t count, size_t size) {
    void *p = count > SIZE_MAX / 2 / size ? NULL : calloc(count + 1, size);
    if (p == NULL) stop(2, "there is not enough memory\n");
    return p;
}

static text read_file(const char *name) {
    text t = {0, 0, NULL};
    FILE *f = fopen(name, "rb");
    size_t space = 1 << 16, got;
    if (f == NULL) stop(2, "%s cannot be opened\n", name);
    t.byte = room(space, 1);
    while ((got = fread(t.byte + t.size, 1, space - t.size, f)) > 0)
        if ((t.size += got) == space && (t.byte = realloc(t.byte, space *= 2)) == NULL)
            stop(2, "there is not enough memory\n");
    if (ferror(f)) stop(2, "%s cannot be read\n", name);
    fclose(f);
    return t;
}

/* The next number of the certificate, seven bits to a byte, the lowest first; at most 63 bits. */
static word number(void) {
    word value = 0;
    for (int shift = 0; shift < 63 && file.at < file.size; shift += 7) {
        unsigned char byte = file.byte[file.at++];
        value |= (word)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    stop(2, "the certificate is cut off or damaged\n");
    return 0;
}

/* SHA-256, as in FIPS 180-4. */
static void sha256(const unsigned char *data, size_t size, unsigned char out[32]) {
    static const uint32_t prime[64] = {
        0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,
        0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
        0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,
        0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
        0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,
        0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
        0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,
        0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};
    uint32_t h[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,
                     0x5be0cd19};
#define TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))
    for (size_t block = 0; block < (size + 9 + 63) / 64; block++) {
        uint32_t w[64] = {0}, s[8];
        for (size_t i = 0; i < 64; i++) {
            size_t at = 64 * block + i, end = (size + 9 + 63) / 64 * 64 - 8;
            uint32_t byte = at < size ? data[at] : at == size ? 128
                : at >= end ? (unsigned char)((word)size * 8 >> 8 * (7 - (at - end))) : 0;
            w[i / 4] |= byte << 8 * (3 - i % 4);
        }
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + w[i - 7] + (TURN(w[i - 15], 7) ^ TURN(w[i - 15], 18) ^ w[i - 15] >> 3)
                + (TURN(w[i - 2], 17) ^ TURN(w[i - 2], 19) ^ w[i - 2] >> 10);
        memcpy(s, h, sizeof s);
        for (int i = 0; i < 64; i++) {
            uint32_t a = s[0], e = s[4];
            uint32_t t = s[7] + (TURN(e, 6) ^ TURN(e, 11) ^ TURN(e, 25)) + ((e & s[5]) ^ (~e & s[6]))
                + prime[i] + w[i];
            uint32_t u = (TURN(a, 2) ^ TURN(a, 13) ^ TURN(a, 22))
                + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof *s);
            s[4] += t;
            s[0] = t + u;
        }
        for (int i = 0; i < 8; i++) h[i] += s[i];
    }
    for (int i = 0; i < 32; i++) out[i] = (unsigned char)(h[i / 4] >> 8 * (3 - i % 4));
}

/* The distinct rows of a .npy table, in the order of their first appearance. */
static word *read_table(const char *name, unsigned char digest[32]) {
    text t = read_file(name);
    char head[4097] = "", *at;
    size_t start = 10, length, count = 0, item, many, slots = 4, filled = 0;
    if (t.size < 12 || memcmp(t.byte, "\x93NUMPY", 6)) stop(2, "%s is no .npy file\n", name);
    length = t.byte[8] | (size_t)t.byte[9] << 8;
    if (t.byte[6] > 1) length |= (size_t)t.byte[10] << 16 | (size_t)t.byte[11] << 24, start = 12;
    if (length > 4096 || start + length > t.size) stop(2, "%s has a damaged head\n", name);
    memcpy(head, t.byte + start, length);
    start += length;
    at = strstr(head, "'descr': '");
    if (at == NULL || at[11] == 0 || !strchr("|<", at[10]) || !strchr("biu", at[11])
        || !strchr("1248", at[12]) || at[13] != '\'' || !strstr(head, "'fortran_order': False"))
        stop(2, "%s is no array of whole numbers or truth values in C order\n", name);
    item = (size_t)(at[12] - '0');
    at = strstr(head, "'shape': (");
    if (at == NULL || sscanf(at + 10, "%zu, %zu)", &many, &columns) != 2 || many == 0 || columns == 0
        || many > UINT32_MAX || columns > 1 << 24 || many > SIZE_MAX / 16 / columns
        || t.size - start != many * columns * item)
        stop(2, "%s is no table, or is cut off\n", name);
    width = (columns + 63) / 64;
    while (slots < 2 * many) slots *= 2;
    char line[64];
    size_t *slot = room(slots, sizeof *slot), front;
    front = (size_t)snprintf(line, sizeof line, "%zu x %zu\n", many, columns);
    word *row = room(many * width, 8);
    for (size_t i = 0; i < many; i++) {
        word *r = row + filled * width, mixed = 0;
        memset(r, 0, width * 8);
        for (size_t j = 0; j < columns; j++) {
            const unsigned char *b = t.byte + start + (i * columns + j) * item;
            for (size_t k = 0; k < item; k++)
                if (b[k] > (k == 0)) stop(2, "row %zu, column %zu is not 0 or 1\n", i + 1, j + 1);
            r[j / 64] |= (word)b[0] << j % 64;
        }
        for (size_t j = 0; j < width; j++)
            mixed = (mixed ^ r[j]) * 0x9E3779B97F4A7C15, mixed ^= mixed >> 29;
        size_t s = mixed & (slots - 1);
        while (slot[s] && memcmp(row + (slot[s] - 1) * width, r, width * 8)) s = (s + 1) & (slots - 1);
        if (!slot[s]) slot[s] = ++filled;
    }
    rows = count = filled;
    front = (size_t)snprintf(line, sizeof line, "%zu x %zu\n", rows, columns);
    unsigned char *all = room(front + rows * width * 8, 1);
    memcpy(all, line, front);
    for (size_t i = 0; i < rows * width * 8; i++)
        all[front + i] = (unsigned char)(row[i / 8] >> 8 * (i % 8));
    sha256(all, front + rows * width * 8, digest);
    free(all), free(slot), free(t.byte);
    return row;
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

/* Write the columns of a frame whose rows are there, and keep those with two rows on both sides. */
static void fill(frame *f, const size_t *name, size_t count) {
    size_t from = 0, kept = 0;
    f->words = (f->rows + 63) / 64;
    f->name = room(count, sizeof *f->name);
    f->ones = room(count, sizeof *f->ones);
    f->column = room(count * f->words, 8);
    while (from < count) {
        size_t part = name[from] / 64, to = from;
        while (to < count && name[to] / 64 == part) to++;
        for (size_t w = 0; w < f->words; w++) {
            word block[64] = {0};
            for (size_t i = 0; i < 64 && 64 * w + i < f->rows; i++)
                block[i] = f->row[(64 * w + i) * width + part];
            transpose(block);
            for (size_t j = from; j < to; j++) f->column[j * f->words + w] = block[name[j] % 64];
        }
        from = to;
    }
    for (size_t j = 0; j < count; j++) {
        size_t ones = 0;
        for (size_t w = 0; w < f->words; w++)
            ones += (size_t)__builtin_popcountll(f->column[j * f->words + w]);
        if (ones < 2 || f->rows - ones < 2) continue;
        memmove(f->column + kept * f->words, f->column + j * f->words, f->words * 8);
        f->name[kept] = name[j];
        f->ones[kept++] = ones;
    }
    f->kept = kept;
}

/* The bits of a kept column, complemented if `flip`, without those after the last row. */
static word bits(const frame *f, size_t column, size_t w, int flip) {
    word value = f->column[column * f->words + w] ^ (flip ? ~(word)0 : 0);
    return w + 1 == f->words && f->rows % 64 ? value & (((word)1 << f->rows % 64) - 1) : value;
}

static frame side_of(const frame *f, size_t column, int side) {
    frame g = {0};
    size_t at = 0;
    g.rows = side ? f->ones[column] : f->rows - f->ones[column];
    g.row = room(g.rows * width, 8);
    for (size_t w = 0; w < f->words; w++)
        for (word left = bits(f, column, w, !side); left; left &= left - 1)
            memcpy(g.row + at++ * width,
                   f->row + (64 * w + (size_t)__builtin_ctzll(left)) * width, width * 8);
    fill(&g, f->name, f->kept);
    return g;
}

static void drop(frame *f) { free(f->name), free(f->ones), free(f->row), free(f->column); }

/* The hash NH of Black et al. (1999), four times with keys of their own. */
static void hash(word sum[4], word value, const word *key) {
    for (int p = 0; p < 4; p++)
        sum[p] += (uint32_t)(value + key[2 * p]) * (word)(uint32_t)((value >> 32) + key[2 * p + 1]);
}

static int compare(const void *a, const void *b) { return memcmp(a, b, 32); }

/* The fingerprint of a shape: its rows, and its columns up to complements, order and repetitions. */
static void fingerprint(const frame *f, word out[6]) {
    word *print = room(f->kept * 4, 8);
    size_t distinct = 0;
    for (size_t j = 0; j < f->kept; j++)
        for (size_t w = 0; w < f->words; w++)
            hash(print + 4 * j, bits(f, j, w, f->column[j * f->words] & 1), keys + 8 * w);
    qsort(print, f->kept, 32, compare);
    for (size_t j = 0; j < f->kept; j++)
        if (j == 0 || memcmp(print + 4 * j, print + 4 * (distinct - 1), 32))
            memmove(print + 4 * distinct++, print + 4 * j, 32);
    memset(out, 0, 48);
    for (size_t i = 0; i < 4 * distinct; i++) hash(out, print[i], keys + 8 * ((rows + 63) / 64 + i));
    out[4] = f->rows;
    out[5] = distinct;
    free(print);
}

/* Whether side s of column i is a subset of side t of column j. */
static int inside(const frame *f, size_t i, int s, size_t j, int t) {
    for (size_t w = 0; w < f->words; w++)
        if (bits(f, i, w, !s) & bits(f, j, w, t)) return 0;
    return 1;
}

/* Whether a column without a step needs none. */
static int settled(const frame *f, size_t x, word k) {
    size_t half = (size_t)1 << (k - 1), least = half / 2, n = f->ones[x], split0 = 0, split1 = 0;
    if (n < half || f->rows - n < half) return 1;
    for (size_t y = 0; y < f->kept && k > 2 && !(split0 && split1); y++) {
        const word *a = f->column + x * f->words, *b = f->column + y * f->words;
        size_t both = 0, m = f->ones[y];
        if (m < least || f->rows - m < least) continue;
        for (size_t w = 0; w < f->words; w++) both += (size_t)__builtin_popcountll(a[w] & b[w]);
        split1 |= both >= least && n - both >= least;
        split0 |= m - both >= least && f->rows - n - m + both >= least;
    }
    if (k > 2 && !(split0 && split1)) return 1;
    for (size_t y = 0; y < x; y++)  /* a repetition or a complement: the other column answers for it */
        if ((n == f->ones[y] && inside(f, x, 1, y, 1))
            || (n + f->ones[y] == f->rows && inside(f, x, 1, y, 0)))
            return 1;
    return 0;
}

static size_t find(const frame *f, word name) {
    size_t low = 0, high = f->kept;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->name[middle] < name) low = middle + 1; else high = middle;
    }
    return low < f->kept && f->name[low] == name ? low : f->kept;
}

/* Read the claim LDim < k about a frame; whether it follows. */
static int accept(const frame *f, word k, word parent, word literal) {
    size_t me = made++;
    int few = k >= 62 || f->rows < (size_t)1 << k, good = 1;
    if (me >= declared) return 0;
    claims[me] = (claim){k, parent, literal, 0, {0}};
    if (k < 2 && !few) return 0;
    unsigned char *dead = room(f->kept, 1);
    word next = number();
    for (; next >= 2 && good; next = good ? number() : 0) {
        word named = next - 2;
        size_t i = find(f, named / 2);
        int side = (int)(named & 1);
        if (few || i == f->kept || dead[i]) { good = 0; break; }
        word kind = number();
        if (kind == 0) {
            frame g = side_of(f, i, side);
            path[named]++;
            good = accept(&g, k - 1, me, named);
            path[named]--;
            drop(&g);
        } else if (kind == 1) {
            word other = number();
            size_t j = find(f, other / 2);
            good = j < f->kept && dead[j] == 1 + (other & 1) && inside(f, i, side, j, other & 1);
        } else if (kind == 2 || kind == 3) {
            word back = number();
            claim *c = claims + (made - 1 - (back < made ? back : 0));
            good = back < made && c->k < k;
            if (good && kind == 2) {
                for (word a = (word)(c - claims); a && good; a = claims[a].parent)
                    good = claims[a].literal == named || path[claims[a].literal];
            } else if (good) {
                word shape[6];
                frame g = side_of(f, i, side);
                fingerprint(&g, shape);
                good = c->has_shape && !memcmp(shape, c->shape, sizeof shape);
                drop(&g);
            }
        } else good = 0;
        dead[i] = (unsigned char)(1 + side);
    }
    for (size_t x = 0; x < f->kept && good && !few; x++) good = dead[x] || settled(f, x, k);
    if (good && next == 1) fingerprint(f, claims[me].shape), claims[me].has_shape = 1;
    free(dead);
    return good;
}

/* Whether the leaves of the tree give the answers of the paths that lead to them. */
static int shattered(const word *row, word depth, const word *point, const word *leaf) {
    for (word i = 0; i >> depth == 0; i++) {
        if (leaf[i] >= rows) return 0;
        for (word level = 0; level < depth; level++) {
            word x = point[((word)1 << level) - 1 + (i >> (depth - level))];
            if (x >= columns) return 0;
            if ((row[leaf[i] * width + x / 64] >> x % 64 & 1) != (i >> (depth - level - 1) & 1)) return 0;
        }
    }
    return 1;
}

int main(int count, char **name) {
    static const char mark[] = "littlestone-certificate 2\n";
    unsigned char digest[32];
    if (count != 3) stop(2, "usage: check TABLE.npy CERTIFICATE\n");
    word *row = read_table(name[1], digest);
    file = read_file(name[2]);
    if (file.size < sizeof mark - 1 + 32 || memcmp(file.byte, mark, sizeof mark - 1))
        stop(2, "%s is no certificate in the binary form 2\n", name[2]);
    file.at = sizeof mark - 1 + 32;
    if (memcmp(file.byte + sizeof mark - 1, digest, 32))
        stop(2, "the certificate is about another table\n");
    word lower = number(), upper = number();
    if (lower > upper || upper >= 62 || (word)1 << lower > file.size)
        stop(2, "the bounds %" PRIu64 " and %" PRIu64 " cannot be\n", lower, upper);
    word nodes = ((word)1 << lower) - 1, *tree = room(2 * nodes + 1, 8);
    for (word i = 0; i < 2 * nodes + 1; i++) tree[i] = number();
    declared = number();
    if (declared > file.size - file.at) stop(2, "the certificate is cut off or damaged\n");
    int tree_good = shattered(row, lower, tree, tree + nodes), good = 1;
    printf("LDim >= %" PRIu64 ": %s\n", lower,
           tree_good ? "proved by a shattered tree" : "NOT proved");
    if (declared) {
        frame whole = {0};
        size_t *all = room(columns, sizeof *all), longest = (rows + 63) / 64 + 4 * columns;
        FILE *random = fopen("/dev/urandom", "rb");
        keys = room(8 * longest, 8);
        claims = room(declared, sizeof *claims);
        path = room(2 * columns, 1);
        if (random == NULL || fread(keys, 64, longest, random) != longest)
            stop(2, "there is no source of random numbers\n");
        for (size_t j = 0; j < columns; j++) all[j] = j;
        whole.rows = rows;
        whole.row = row;
        fill(&whole, all, columns);
        good = accept(&whole, upper + 1, 0, 0) && made == declared && file.at == file.size;
        if (good) printf("LDim < %" PRIu64 ": proved by %zu claims\n", upper + 1, declared);
        else printf("LDim < %" PRIu64 ": NOT proved: claim %zu does not follow\n", upper + 1, made);
    } else if (file.at != file.size) stop(2, "the certificate is cut off or damaged\n");
    else if (rows < (size_t)1 << (upper + 1))
        printf("LDim < %" PRIu64 ": proved by counting the rows\n", upper + 1);
    else printf("LDim < %" PRIu64 ": stated without a proof\n", upper + 1);
    return !(tree_good && good);
}
