/* Check a certificate of a Littlestone dimension against its table.
 *
 * docs/certificate-format.md says what is read here, and docs/proofs/certificates.md why what is accepted is true.
 * Nothing is searched for: version spaces are made as the file says, and rows are counted in them.  Shapes are
 * compared in full, and no use is made of the fingerprint.
 *
 * A check keeps everything in a `checker`, so several threads may check at once.  It never ends the process.
 */
#include "spaces.h"

#include "counting.h"

/* Shapes */

static size_t hash_of(const word *a, size_t words) {
    word mixed = 0;
    for (size_t w = 0; w < words; w++) {  /* no word waits for the one before it */
        word part = (a[w] + w * 0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15;
        mixed += part ^ part >> 29;
    }
    mixed *= 0x94D049BB133111EB;
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

#include "symmetries.h"

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
static int settled(checker *c, const space *given, word k, word me, const unsigned char *dead, const group *g) {
    word *tried = take(c, c->width, 8);
    if (!splitters(c, given, (size_t)1 << (k - 1), tried)) return 1;  /* rule 1 */
    unsigned char *done = memset(take(c, c->columns, 1), 0, c->columns);  /* orbits */
    for (size_t x = 0; x < c->columns && dead; x++) done[g->orbit[x]] |= dead[x];
    leave_out_known(c, me, tried, done, g->orbit);
    int dear = spare(given) * count_ones(tried, tried, c->width) > 2 * given->rows;
    space chosen = dear ? alone(c, given) : *given, *v = &chosen;
    for (size_t part = 0; part < c->width; part++)
        for (word left = tried[part]; left; left &= left - 1) {
            size_t x = 64 * part + (size_t)__builtin_ctzll(left);
            unsigned char *orbit = done + g->orbit[x];
            *orbit = *orbit || counted(c, v, x, k, me);
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
    good = good && (few || settled(c, &v, k, me, dead, g));
    if (good && next == 1) c->claims[me].shape = shape_of(c, &v);
    give_back(c, &c->last, before);
    return good;
}

/* Whether the leaves of the tree give the answers of the paths that lead to them.  The first `level` questions of a
 * path ask `asked[level]` of a row, and the answers are `value[level]`; a leaf shares the first ones with the last. */
INLINE int leaves_agree(checker *c, word depth, const word *point, const word *leaf, size_t width) {
    const check_job *job = c->job;
    word *asked = take(c, (depth + 1) * width, 8), *value = take(c, (depth + 1) * width, 8);
    memset(asked, 0, width * 8), memset(value, 0, width * 8);
    for (word i = 0; i >> depth == 0; i++) {
        if (leaf[i] >= job->count) return 0;
        for (word level = i ? depth - 1 - (word)__builtin_ctzll(i) : 0; level < depth; level++) {
            word x = point[((word)1 << level) - 1 + (i >> (depth - level))], answer = i >> (depth - level - 1) & 1;
            word *mine = asked + level * width, *values = value + level * width;
            if (x >= job->columns) return 0;
            if (mine[x / 64] >> x % 64 & 1 && (values[x / 64] >> x % 64 & 1) != answer) return 0;
            memcpy(mine + width, mine, width * 8), memcpy(values + width, values, width * 8);
            mine[width + x / 64] |= (word)1 << x % 64;
            values[width + x / 64] |= answer << x % 64;
        }
        const word *row = job->rows + leaf[i] * width, *mine = asked + depth * width, *values = value + depth * width;
        for (size_t w = 0; w < width; w++)
            if ((row[w] ^ values[w]) & mine[w]) return 0;
    }
    return 1;
}

static int shattered(checker *c, word depth, const word *point, const word *leaf) {
    size_t width = (c->columns + 63) / 64;
    return width == 1 ? leaves_agree(c, depth, point, leaf, 1) : leaves_agree(c, depth, point, leaf, width);
}

/* Whether the claims follow, and the first is LDim < k about the whole table. */
static int follows(checker *c, word k) {
    size_t given = (c->columns + 63) / 64, rows = c->job->count, at = c->at;
    /* A claim without symmetries, steps and shape needs no columns, if counting proves it. */
    if (c->declared == 1 && !(rows >> k) && number(c) == 0 && number(c) == 0) return c->job->claims = 1, 1;
    c->at = at;
    for (c->width = 1; c->width < given; c->width = c->width < 8 ? 2 * c->width : c->width + 8) {}
    word *row = room_for_rows(c, rows);
    if (c->width == given) memcpy(row, c->job->rows, rows * given * 8);
    for (size_t i = 0; i < rows && c->width > given; i++) {
        memset(row + i * c->width, 0, c->width * 8);
        memcpy(row + i * c->width, c->job->rows + i * given, given * 8);
    }
    space all = stored(c, row, rows);
    c->claims = keep(c, c->declared, sizeof *c->claims);
    c->path = keep(c, 2 * c->columns, 1);
    c->slots = 1 << 10, c->unsplit = keep(c, c->slots, sizeof *c->unsplit);
    c->smaller = keep(c, c->columns, 1);
    for (size_t x = 0; x < c->columns; x++)
        c->smaller[x] = 2 * count_ones(column_of(&all, x), all.mask, all.words) <= rows;
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
    job->shattered = shattered(c, job->lower, tree, tree + nodes);
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
