#include "sinew/io/left_out.h"

#include <algorithm>

#include "sinew/io/file_error.h"

namespace sinew {

void LeftOut::add(const std::string& what, int line)
{
    const auto [found, isNew] = index_.emplace(what, kinds_.size());
    if (isNew) kinds_.push_back({what, 0, line});
    ++kinds_[found->second].count;
}

std::vector<Diagnostic> LeftOut::notes(const std::string& file) const
{
    std::vector<Diagnostic> all;
    for (const Kind& kind : kinds_) {
        const std::string times = " (" + std::to_string(kind.count) + " times)";
        all.push_back(fileError(file, kind.what + (kind.count > 1 ? times : ""), kind.firstLine));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
    return all;
}

}  // namespace sinew
