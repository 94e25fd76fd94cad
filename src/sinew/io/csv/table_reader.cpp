#include "sinew/io/csv/table_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "sinew/io/csv/open_regular.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

constexpr std::size_t bufferSize = std::size_t{1} << 18;
constexpr std::size_t longestNumber = 64;  // the longest double that we write takes 24

}  // namespace

TableReader::TableReader(std::string path, std::FILE* file)
    : path_(std::move(path)), file_(file), buffer_(bufferSize)
{
}

Result<TableReader> TableReader::open(const std::string& path, const std::string& header)
{
    const Result<std::FILE*> opened = openRegular(path);
    if (!opened) return opened.error();
    std::FILE* file = opened.value();
    TableReader reader(path, file);
    std::setvbuf(file, nullptr, _IONBF, 0);  // there is a buffer already

    for (std::size_t compared = 0; compared < header.size();) {
        if (reader.atEnd()) return fileError(path, "is cut off within its first line");
        const std::size_t size = std::min(reader.end_ - reader.begin_, header.size() - compared);
        if (std::memcmp(reader.buffer_.data() + reader.begin_, header.data() + compared, size) != 0)
            return fileError(path, "its columns are not those of the scene, so it is of another run");
        reader.begin_ += size;
        compared += size;
    }
    return reader;
}

// Moves what is left to the front and reads on. False if there is nothing more to be had.
bool TableReader::fill()
{
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
    end_ += got;
    if (std::ferror(file_.get()) != 0) stop(std::string("cannot be read: ") + std::strerror(errno));
    return got > 0;
}

bool TableReader::atEnd()
{
    return begin_ == end_ && !fill();
}

bool TableReader::stop(const std::string& what)
{
    if (fault_.empty()) fault_ = path_ + ": " + what;
    return false;
}

// The number at hand, and the character behind it, which is passed as well.
bool TableReader::readNumber(double& number, char& next)
{
    if (end_ - begin_ < longestNumber) fill();
    const char* first = buffer_.data() + begin_;
    const char* last = buffer_.data() + end_;
    const auto [end, problem] = std::from_chars(first, last, number);
    const std::string where = "row " + std::to_string(row_) + " ";
    if (end == last) return stop(where + "is cut off");
    if (problem != std::errc() || (*end != ',' && *end != '\n'))
        return stop(where + "holds something that is not a number");
    next = *end;
    begin_ += static_cast<std::size_t>(end - first) + 1;
    return true;
}

bool TableReader::readRow(std::span<double> numbers)
{
    if (atEnd() || !fault_.empty()) return false;
    ++row_;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        char next = 0;
        if (!readNumber(numbers[i], next)) return false;
        if ((next == '\n') != (i + 1 == numbers.size()))
            return stop("row " + std::to_string(row_) + " does not have " + std::to_string(numbers.size()) +
                        " numbers, as the first line has names");
    }
    return true;
}

bool TableReader::readFirst(double& number)
{
    if (atEnd() || !fault_.empty()) return false;
    ++row_;
    char next = 0;
    return readNumber(number, next) && (next == '\n' || finishRow());
}

bool TableReader::skipRow()
{
    if (atEnd() || !fault_.empty()) return false;
    ++row_;
    return finishRow();
}

bool TableReader::finishRow()
{
    while (!atEnd()) {
        const char* first = buffer_.data() + begin_;
        if (const void* end = std::memchr(first, '\n', end_ - begin_)) {
            begin_ += static_cast<std::size_t>(static_cast<const char*>(end) - first) + 1;
            return true;
        }
        begin_ = end_;
    }
    return stop("row " + std::to_string(row_) + " is cut off");
}

}  // namespace sinew
