// Reads a table back in which some columns are text, row by row (RFC 4180: what is quoted may hold commas,
// quotes and line breaks).
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"

namespace sinew {

class TextReader {
public:
    // The file must begin with exactly this header, line end and all; rows have as many fields as it.
    static Result<TextReader> open(const std::string& path, const std::string& header);
    // Any header, which then stands in the fields as the first row does.
    static Result<TextReader> openAny(const std::string& path);

    // Goes on to the next row. False at the end of the table, and at a fault: then `fault` is the line that
    // names it.
    bool readRow();
    const std::string& field(std::size_t column) const { return fields_[column]; }
    const std::vector<std::string>& fields() const { return fields_; }
    // A field that must be a number; otherwise there is a fault, and it is zero.
    double number(std::size_t column);

    const std::string& fault() const { return fault_; }

private:
    TextReader(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
    bool stop(const char* what);

    std::string path_;
    FileStream file_;
    std::vector<std::string> fields_;
    std::size_t columns_ = 0;  // 0: any number
    std::uint64_t row_ = 0;    // the one being read, the first below the header is 1
    std::string fault_;
};

}  // namespace sinew
