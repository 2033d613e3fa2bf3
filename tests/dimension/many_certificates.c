/* Check many certificates of one table in one process, and write their exit statuses as digits.
 *
 *     many TABLE.npy CERTIFICATES STATUSES [BYTES]
 *
 * CERTIFICATES holds them one after another, each after its size in decimal and a line feed.  A check may take
 * BYTES of memory.
 */
#define main check_main
#include "main.c"
#undef main

int main(int count, char **name) {
    size_t size;
    check_job job = {.room = count > 4 ? strtoull(name[4], NULL, 10) : SIZE_MAX / 4};
    if (count < 4) return 2;
    read_table(name[1], &job);
    unsigned char *all = read_file(name[2], &size);
    FILE *out = fopen(name[3], "wb");
    if (out == NULL) return 2;
    for (size_t from = 0; from < size;) {
        char *end;
        size_t length = strtoull((char *)all + from, &end, 10);
        from = (size_t)((unsigned char *)end + 1 - all) + length;
        /* A block of its own for each file, so that a sanitizer sees reads beyond its end. */
        unsigned char *exact = malloc(length ? length : 1);
        memcpy(exact, end + 1, length);
        job.file = exact, job.size = length;
        fputc('0' + littlestone_check(&job), out);
        free(exact);
    }
    return fclose(out);
}
