/* Which columns split a version space into two large enough parts: rules 1, 2 and 4. */

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

/* Sets that rule 2 holds of */

/* A number for a claim's path with one more literal: these literals plus 1 side by side, sorted; 0 if they do not
 * fit.  The set has a number of literals that tells k, because every literal makes k less by 1. */
static word set_of(const checker *c, word me, word literal) {
    word sorted[64], set = 0;
    size_t n = 0, bits = 1;
    while (2 * c->columns >> bits) bits++;
    for (word a = me, next = literal;; next = c->claims[a].literal, a = c->claims[a].parent) {
        size_t i = n++;
        if (n * bits > 63) return 0;
        for (; i && sorted[i - 1] > next; i--) sorted[i] = sorted[i - 1];
        sorted[i] = next;
        if (!a) break;
    }
    for (size_t i = 0; i < n; i++) set = set << bits | (sorted[i] + 1);
    return set;
}

/* Where the search for a set begins. */
static word *home_of_set(const checker *c, word set) {
    return c->unsplit + ((size_t)(set * 0x9E3779B97F4A7C15 >> 20) & (c->slots - 1));
}

/* The slot of a set, which is 0 if it is not known. */
static word *slot_of_set(const checker *c, word set) {
    size_t i = (size_t)(home_of_set(c, set) - c->unsplit);
    while (c->unsplit[i] && c->unsplit[i] != set) i = (i + 1) & (c->slots - 1);
    return c->unsplit + i;
}

/* Note that rule 2 holds of a set, while there is room to spare. */
static void note(checker *c, word set) {
    if (4 * c->used >= 3 * c->slots) {
        size_t old = c->slots;
        word *before = c->unsplit;
        if (32 * old * sizeof(word) > c->job->room - c->taken) return;
        c->slots = 2 * old, c->unsplit = keep(c, c->slots, sizeof(word));
        for (size_t i = 0; i < old; i++) if (before[i]) *slot_of_set(c, before[i]) = before[i];
    }
    *slot_of_set(c, set) = set, c->used++;
}

/* Take the columns out of `tried` for whose side, the one with fewer rows of the table, rule 2 is known to hold, and
 * mark their orbits.  All slots are fetched before the first is read. */
static void leave_out_known(checker *c, word me, word *tried, unsigned char *done, const uint32_t *orbit) {
    word *set = take(c, c->columns, 8);
    for (int turn = 0; turn < 2; turn++)
        for (size_t part = 0; part < c->width; part++)
            for (word left = tried[part]; left; left &= left - 1) {
                size_t x = 64 * part + (size_t)__builtin_ctzll(left);
                if (turn == 0) set[x] = set_of(c, me, 2 * x + c->smaller[x]);
                if (turn == 0) __builtin_prefetch(home_of_set(c, set[x]));
                else if (set[x] && *slot_of_set(c, set[x])) done[orbit[x]] = 1;
                if (turn == 1 && done[orbit[x]]) tried[part] ^= left & -left;
            }
}

/* Rule 2: whether a side of column x is split by no column into parts of at least 2^(k-2) rows; the smaller side is
 * looked at first. */
static int counted(checker *c, const space *v, size_t x, word k, word me) {
    block *before = c->last;
    int smaller = 2 * count_ones(column_of(v, x), v->mask, v->words) <= v->rows, found = 0;
    for (int turn = 0; turn < 2 && k > 2 && !found; turn++) {
        word set = set_of(c, me, 2 * x + (word)(smaller ^ turn));
        space side = side_of(c, v, x, smaller ^ turn);
        found = !splitters(c, &side, (size_t)1 << (k - 2), take(c, c->width, 8));
        if (found && set) note(c, set);
        give_back(c, &c->last, before);
    }
    return found;
}

/* Whether column x equals one before it, or the complement of one. */
static int repeated(const space *v, size_t x) {
    for (size_t y = 0; y < x; y++)
        for (int t = 0; t < 2; t++)
            if (inside(v, x, 1, y, t) && inside(v, x, 0, y, !t)) return 1;
    return 0;
}
