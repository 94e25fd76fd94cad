// EXT_meshopt_compression: bytes of a buffer view that were made smaller → what they were.
//
// Khronos, EXT_meshopt_compression, appendix A: attributes (version 0), triangles (0 and 1), indices (0 and
// 1), with the filters octahedral, quaternion and exponential. Refused are streams of the version of
// KHR_meshopt_compression, those that are cut short or longer than they should be, and strides and counts
// that their mode does not have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinew/base/result.h"

namespace sinew::gltf {

struct MeshoptView {
    enum class Mode { attributes, triangles, indices };
    enum class Filter { none, octahedral, quaternion, exponential };
    int buffer = -1;
    std::uint64_t offset = 0, length = 0;  // of what is compressed
    std::uint64_t stride = 0, count = 0;   // of what comes of it
    Mode mode = Mode::attributes;
    Filter filter = Filter::none;
};

// stride · count bytes, or what is wrong. No more memory is taken than 64 times the bytes that there are.
Result<std::string> meshoptBytes(const MeshoptView& view, std::string_view compressed);

}  // namespace sinew::gltf
