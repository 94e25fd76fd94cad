#include "sinew/io/csv/text_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "sinew/io/csv/open_regular.h"
#include "sinew/io/file_error.h"

namespace sinew {

Result<TextReader> TextReader::open(const std::string& path, const std::string& header)
{
    const Result<std::FILE*> opened = openRegular(path);
    if (!opened) return opened.error();
    std::FILE* file = opened.value();
    TextReader reader(path, file);
    for (char c : header)
        if (std::fgetc(file) != static_cast<unsigned char>(c))
            return fileError(path, "its columns are not those of a run");
    reader.columns_ = 1 + static_cast<std::size_t>(std::count(header.begin(), header.end(), ','));
    return reader;
}

Result<TextReader> TextReader::openAny(const std::string& path)
{
    const Result<std::FILE*> opened = openRegular(path);
    if (!opened) return opened.error();
    TextReader reader(path, opened.value());
    if (!reader.readRow())
        return reader.fault_.empty() ? fileError(path, "is empty") : Diagnostic{reader.fault_};
    reader.columns_ = reader.fields_.size();
    reader.row_ = 0;
    return reader;
}

bool TextReader::stop(const char* what)
{
    if (fault_.empty()) fault_ = path_ + ": row " + std::to_string(row_) + " " + what;
    return false;
}

bool TextReader::readRow()
{
    if (!fault_.empty()) return false;
    std::FILE* file = file_.get();
    int c = std::fgetc(file);
    if (c == EOF && std::ferror(file) == 0) return false;
    ++row_;
    fields_.assign(1, {});
    bool quoted = false, hasClosed = false;  // within quotes; right behind the last of them
    for (; c != EOF; c = std::fgetc(file)) {
        if (c == '"') {
            if (hasClosed) fields_.back() += '"';  // two of them within quotes are one of the text
            hasClosed = quoted;
            quoted = !quoted;
        } else if (quoted || (c != ',' && c != '\n')) {
            fields_.back() += static_cast<char>(c);
        } else if (c == ',') {
            fields_.emplace_back();
            hasClosed = false;
        } else {
            return columns_ == 0 || fields_.size() == columns_ ||
                   stop("does not have as many fields as the first line");
        }
    }
    return stop(std::ferror(file) != 0 ? "cannot be read" : "is cut off");
}

double TextReader::number(std::size_t column)
{
    const std::string& text = fields_[column];
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem == std::errc() && end == text.data() + text.size()) return value;
    stop("holds something that is not a number");
    return 0;
}

}  // namespace sinew
