#include "sinew/base/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace sinew {
namespace {

#if defined(__linux__)
double controlGroupLimit()
{
    double limit = HUGE_VAL;
    // "max" where there is none: nothing is read then.
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
        if (std::FILE* file = std::fopen(path, "r")) {
            double bytes = 0;
            if (std::fscanf(file, "%lf", &bytes) == 1 && bytes > 0) limit = std::min(limit, bytes);
            std::fclose(file);
        }
    return limit;
}

double findMemory()
{
    double bytes =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit = {};
        if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
    }
    return std::min(bytes, controlGroupLimit());
}
#else
double findMemory()
{
    return sizeof(void*) == 4 ? 4e9 : 16e9;  // nobody to ask: what there is to address, or what is common
}
#endif

}  // namespace

double memoryAtHand()
{
    static const double bytes = findMemory();
    return bytes;
}

std::string bytesText(double bytes)
{
    constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", bytes, units[unit]);
    return text;
}

void outOfMemory()
{
    if (const std::new_handler handler = std::get_new_handler()) handler();
    std::abort();
}

}  // namespace sinew
