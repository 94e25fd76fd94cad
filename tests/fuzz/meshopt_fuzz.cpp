// Any bytes, under any mode, stride and count that the first four of them say, are as many bytes as they
// should be or a line that says why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.h"
#include "sinew/io/gltf/meshopt.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 4) return 0;
    using sinew::gltf::MeshoptView;
    MeshoptView view;
    view.mode = static_cast<MeshoptView::Mode>(data[0] % 3);
    view.filter = static_cast<MeshoptView::Filter>(data[0] / 3 % 4);
    view.stride = data[1];
    view.count = data[2] * std::uint64_t{256} + data[3];
    const auto bytes = sinew::gltf::meshoptBytes(view, sinew::textOf(data, size).substr(4));
    if (!bytes && bytes.error().message.empty()) __builtin_trap();
    if (bytes && bytes.value().size() != view.count * view.stride) __builtin_trap();
    return 0;
}
