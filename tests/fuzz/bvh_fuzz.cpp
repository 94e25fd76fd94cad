// BVH: whatever is read is written and read again to the same, as syntax; as a rig it is finite, and comes
// back as a file that can be read.
#include <cstdlib>

#include "fuzz/expect.h"
#include "sinew/io/bvh/rig.h"

using namespace sinew;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<bvh::Document> read = bvh::parse(textOf(data, size), "f");
    if (!read) {
        if (read.error().message.empty() || read.error().line < 1) std::abort();
        return 0;
    }
    const std::string text = bvh::write(read.value());
    const Result<bvh::Document> again = bvh::parse(text, "f");
    if (!again || again.value().values != read.value().values || bvh::write(again.value()) != text)
        std::abort();

    const Rig rig = bvh::toRig(read.value(), "clip");
    if (rig.clips.empty() || read.value().frames > 200) return 0;
    bvh::WriteOptions options;
    options.like = size % 2 == 0 ? &read.value() : nullptr;
    const Result<bvh::Document> back = bvh::fromRig(rig, rig.clips[0], options);
    if (back && !bvh::parse(bvh::write(back.value()), "f")) std::abort();
    return 0;
}
