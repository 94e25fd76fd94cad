#include "sinew/apps/threads.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "sinew/apps/text.h"
#include "sinew/base/parallel.h"

namespace sinew {

Result<int> chosenThreads(std::optional<int> wish, int fallback)
{
    const int most = threadsAtHand();
    if (!wish) return std::min(fallback, most);
    if (*wish < 1 || *wish > mostThreads)
        return optionError("--threads", fmt::format("must be from 1 to {}, not {}", mostThreads, *wish));
    if (*wish <= most) return *wish;
    const std::string why = hasThreads() ? fmt::format("this machine runs {} at a time", most)
                                         : std::string("this build has no threads, for want of oneTBB");
    fmt::print(stderr, "note: --threads {}: {}, so {} used\n", *wish, why,
               most == 1 ? "one is" : fmt::format("{} are", most));
    return most;
}

}  // namespace sinew
