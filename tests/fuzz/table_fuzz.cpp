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

// The header comes first: few spoilt bytes would get past its check. One file serves for all inputs.
std::string memoryFile(const std::string& header, const std::uint8_t* data, std::size_t size)
{
    static const int file = memfd_create("table", 0);
    const auto headerSize = static_cast<ssize_t>(header.size());
    const bool whole = ftruncate(file, 0) == 0 &&
                       pwrite(file, header.data(), header.size(), 0) == headerSize &&
                       pwrite(file, data, size, headerSize) == static_cast<ssize_t>(size);
    if (!whole) std::abort();
    return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string header = "time,a,b\n";
    const std::string path = memoryFile(header, data, size);

    Result<TableReader> table = TableReader::open(path, header);
    if (!table) std::abort();
    std::array<double, 3> row{};
    double first = 0;
    for (int i = 0; i % 3 == 0   ? table.value().readRow(row)
                    : i % 3 == 1 ? table.value().readFirst(first)
                                 : table.value().skipRow();
         ++i) {
    }

    Result<TextReader> text = TextReader::open(path, header);
    if (!text) std::abort();
    while (text.value().readRow()) {
        text.value().number(0);
        if (text.value().field(2).size() > size) std::abort();
    }
    // Bytes that are no header at all.
    if (size > 0 && data[0] != 't' && TableReader::open(path, "x" + header)) std::abort();
    return 0;
}
