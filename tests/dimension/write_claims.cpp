// Write the claims LDim < k about a table, as `Certificate.of` does:
//
//     write_claims TABLE ROWS COLUMNS K ORBITS OUT
//
// TABLE holds the packed rows, and ORBITS what is known of symmetries, or nothing.  Prints 1 if the claim was
// proved, 0 if it is false, and how many claims there are.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "writer.hpp"

template <class T>
static std::vector<T> read(const char* name) {
    std::ifstream file(name, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<T> made(bytes.size() / sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(made.data()));
    return made;
}

int main(int, char** given) {
    const auto rows = read<littlestone::Word>(given[1]);
    const auto orbits = read<std::int32_t>(given[5]);
    const littlestone::Index count = std::atoi(given[2]), columns = std::atoi(given[3]);
    littlestone::Writer writer(count, columns, std::size_t{1} << 26);
    writer.load({rows.data(), count, littlestone::words_of(static_cast<int>(columns))});
    const auto places = static_cast<littlestone::Index>(orbits.size()) / (2 * columns);
    if (places > 0) writer.use_orbits({orbits.data(), places, columns, 2});
    const auto answer = writer.write(std::atoi(given[4]), littlestone::UNLIMITED);
    const auto& text = writer.text();
    std::ofstream(given[6], std::ios::binary)
        .write(reinterpret_cast<const char*>(text.data()), static_cast<std::streamsize>(text.size()));
    std::printf("%d %zu\n", answer == littlestone::Answer::yes, writer.claims());
    return 0;
}
