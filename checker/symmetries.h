/* The symmetries that a file declares: read, and checked against the table. */

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
            transpose(block, 64);
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
