/* Check many certificates of one table in one process, and write their exit statuses as digits.
 *
 *     many TABLE.npy CERTIFICATES STATUSES
 *
 * CERTIFICATES holds them one after another, each after its size in decimal and a line feed.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static unsigned char *one;
static size_t one_size, from;

static FILE *opened(const char *name, const char *mode) {
    return *name ? fopen(name, mode) : fmemopen(one, one_size, "rb");
}

#define main check_main
#define fopen opened
#define exit(status) longjmp(back, 1 + status)
#include "check.c"
#undef main
#undef fopen
#undef exit

int main(int count, char **name) {
    static size_t size;
    if (count != 4) return 2;
    static unsigned char *all;
    static FILE *out;
    all = read_file(name[2], &size);
    out = fopen(name[3], "wb");
    if (out == NULL || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) return 2;
    while (from < size) {
        char *end, *given[] = {name[0], name[1], "", NULL};
        one_size = strtoull((char *)all + from, &end, 10);
        one = (unsigned char *)end + 1;
        from = (size_t)(one - all) + one_size;
        rows = made = elements = grouped = 0;
        int found = setjmp(back);
        fputc('0' + (found ? found - 1 : check_main(3, given)), out);
    }
    return fclose(out);
}
