// Reads a table of numbers back, row by row. However long the table or its rows, it takes the same
// memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"

namespace sinew {

class TableReader {
public:
    // The file must begin with exactly this header, line end and all.
    static Result<TableReader> open(const std::string& path, const std::string& header);

    // Each goes on to the next row. They give false at the end of the table, and at a fault: then `fault`
    // is the line that names it.
    bool readRow(std::span<double> numbers);  // all of the row: as many numbers as it must have
    bool readFirst(double& number);
    bool skipRow();

    const std::string& fault() const { return fault_; }

private:
    TableReader(std::string path, std::FILE* file);
    bool atEnd();
    bool fill();
    bool readNumber(double& number, char& next);
    bool finishRow();
    bool stop(const std::string& what);

    std::string path_;
    FileStream file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;  // what of the buffer is still to be read
    std::uint64_t row_ = 0;            // the one being read, the first row of numbers is 1
    std::string fault_;
};

}  // namespace sinew
