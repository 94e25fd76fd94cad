// The numbers of an accessor. Not a public header; all functions throw Fault.
#pragma once

#include "sinew/io/gltf/gltf.h"

namespace sinew::gltf {

// How many numbers may be made out of a file. Honest files have a few bytes for each; a small hostile one
// can name the same bytes a million times, or claim zeros without any.
class Budget {
public:
    explicit Budget(const GltfFile& file);
    void take(std::uint64_t count, const std::string& pointer);

private:
    std::uint64_t left_ = 0;
};

// Components of an element.
std::size_t width(Shape shape);

// What a use of an accessor asks of it.
enum class Numbers {
    floats,             // only these
    floatsOrFractions,  // these, or whole numbers that are normalised
    any,                // quantised positions too
    indices             // whole numbers as they are
};

// Element after element, matrices by columns, all finite. Normalised whole numbers become fractions.
std::vector<double> numbers(const GltfFile& file, int accessor, Shape shape, Numbers kind, Budget& budget);

// One set of a primitive's joints and weights, four for each of its `count` vertices.
struct SkinSet {
    std::vector<double> joints, weights;
};
SkinSet skinSet(const GltfFile& file, const Primitive& primitive, std::size_t set, std::size_t count,
                const std::string& pointer, Budget& budget);

}  // namespace sinew::gltf
