// A vector for arrays that every step streams over. Past a few megabytes the page tables of small pages
// cost more than the memory itself (a chain of 10,000 links steps a tenth slower without), so large arrays
// ask Linux for huge pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "sinew/base/memory.h"

namespace sinew {

template <class T>
struct HugePageAllocator {
    using value_type = T;
    static constexpr std::size_t hugePage = std::size_t{2} << 20;

    HugePageAllocator() = default;
    template <class U>
    HugePageAllocator(const HugePageAllocator<U>&)
    {
    }

    T* allocate(std::size_t count)
    {
        const std::size_t bytes = count * sizeof(T);
        const bool large = bytes >= 2 * hugePage;
        const std::size_t alignment = large ? hugePage : 64;
        // aligned_alloc wants a multiple of the alignment.
        void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        if (!memory) outOfMemory();
#if defined(__linux__)
        if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refusal does no harm
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t)
    {
        std::free(memory);
    }

    template <class U>
    bool operator==(const HugePageAllocator<U>&) const
    {
        return true;
    }
};

template <class T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

// A pass over a large vector that names each element a few places ahead need not wait for memory when it
// gets there (a chain of 10,000 links steps a sixth faster). An index out of range is no harm.
constexpr int passAhead = 4;
template <class T>
void prefetch(const LargeVector<T>& elements, std::ptrdiff_t index)
{
#if defined(__GNUC__)
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(elements.size())) return;
    const char* start = reinterpret_cast<const char*>(elements.data() + index);
    // Unrolled: the loop would cost three instructions beside each prefetch.
#pragma GCC unroll 64
    for (std::size_t byte = 0; byte < sizeof(T); byte += 64) __builtin_prefetch(start + byte, 1);
#endif
}

}  // namespace sinew
