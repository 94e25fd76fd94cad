// Tables that are read back: of numbers, and with text in them. They come from files, so that the bytes go
// into one that lies in memory.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "sinew/io/csv/table_reader.h"
#include "sinew/io/csv/text_reader.h"

using namespace sinew;

namespace {

// One that the header is written to first: few spoilt bytes would get past its check.
struct MemoryFile {
    MemoryFile(const std::string& header, const std::uint8_t* data, std::size_t size)
        : file(memfd_create("table", 0)), path("/proc/self/fd/" + std::to_string(file))
    {
        const bool whole =
            write(file, header.data(), header.size()) == static_cast<ssize_t>(header.size()) &&
            write(file, data, size) == static_cast<ssize_t>(size);
        if (!whole) std::abort();
    }
    ~MemoryFile() { close(file); }

    int file;
    std::string path;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string header = "time,a,b\n";
    const MemoryFile memory(header, data, size);

    Result<TableReader> table = TableReader::open(memory.path, header);
    if (!table) std::abort();
    std::array<double, 3> row{};
    double first = 0;
    for (int i = 0; i % 3 == 0   ? table.value().readRow(row)
                    : i % 3 == 1 ? table.value().readFirst(first)
                                 : table.value().skipRow();
         ++i) {
    }

    Result<TextReader> text = TextReader::open(memory.path, header);
    if (!text) std::abort();
    while (text.value().readRow()) {
        text.value().number(0);
        if (text.value().field(2).size() > size) std::abort();
    }
    // Bytes that are no header at all.
    if (size > 0 && data[0] != 't' && TableReader::open(memory.path, "x" + header)) std::abort();
    return 0;
}
