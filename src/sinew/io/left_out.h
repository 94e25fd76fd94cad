// What a reader met and did not take: one note for each kind, with the first place and how often.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sinew/base/result.h"

namespace sinew {

class LeftOut {
public:
    // `what` is the whole message. A line of 0 means: nowhere in particular.
    void add(const std::string& what, int line);
    // In the order of their lines.
    std::vector<Diagnostic> notes(const std::string& file) const;

private:
    struct Kind {
        std::string what;
        int count = 0, firstLine = 0;
    };
    std::vector<Kind> kinds_;
    std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace sinew
