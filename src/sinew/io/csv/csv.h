// Comma-separated values (RFC 4180), written row by row.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/io/file_stream.h"

namespace sinew {

// A header field: quoted where it holds a comma, a quote or a line break.
std::string csvField(std::string_view text);

// Adds the shortest text that reads back as the same double.
void appendNumber(std::string& text, double number);

// A file that grows row by row and knows how long it is, so that a run can go on from a checkpoint.
class CsvFile {
public:
    static Result<CsvFile> create(const std::string& path);
    // A file of at least `size` bytes, of which cut() leaves so many, to go on from there.
    static Result<CsvFile> reopen(const std::string& path, std::uint64_t size);
    static std::optional<Diagnostic> tooShort(const std::string& path, std::uint64_t size);

    // Each gives an empty string, or why it failed.
    std::string cut();
    std::string write(std::string_view text);
    std::string sync();  // everything written so far survives a kill and a crash

    std::uint64_t size() const { return size_; }

private:
    CsvFile(std::string path, std::FILE* file, std::uint64_t size)
        : path_(std::move(path)), file_(file), size_(size)
    {
    }
    std::string fault(const char* what) const;

    std::string path_;
    FileStream file_;
    std::uint64_t size_ = 0;
};

}  // namespace sinew
