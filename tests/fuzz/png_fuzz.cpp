// Any bytes are a picture whose heights are from 0 to 1, or a line that says why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.h"
#include "sinew/io/picture/png.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const sinew::Result<sinew::GreyPicture> picture =
        sinew::parsePng(sinew::textOf(data, size), "fuzz.png");
    if (!picture) {
        if (picture.error().message.empty()) __builtin_trap();
        return 0;
    }
    const sinew::GreyPicture& p = picture.value();
    if (p.grey.size() != static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height))
        __builtin_trap();
    for (double grey : p.grey)
        if (!(grey >= 0 && grey <= 1)) __builtin_trap();
    return 0;
}
