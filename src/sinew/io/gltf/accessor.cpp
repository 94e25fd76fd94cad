#include "sinew/io/gltf/accessor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sinew/io/gltf/cursor.h"

namespace sinew::gltf {
namespace {

static_assert(std::endian::native == std::endian::little);

std::size_t sizeOf(Component component)
{
    switch (component) {
        case Component::int8:
        case Component::uint8:
            return 1;
        case Component::int16:
        case Component::uint16:
            return 2;
        default:
            return 4;
    }
}

template <class T>
double load(const char* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
}

double load(Component component, const char* from)
{
    switch (component) {
        case Component::int8:
            return load<std::int8_t>(from);
        case Component::uint8:
            return load<std::uint8_t>(from);
        case Component::int16:
            return load<std::int16_t>(from);
        case Component::uint16:
            return load<std::uint16_t>(from);
        case Component::uint32:
            return load<std::uint32_t>(from);
        default:
            return load<float>(from);
    }
}

// Section 3.11: f = c / largest, and no less than -1.
double fraction(Component component, double value)
{
    switch (component) {
        case Component::int8:
            return std::max(value / 127, -1.0);
        case Component::uint8:
            return value / 255;
        case Component::int16:
            return std::max(value / 32767, -1.0);
        case Component::uint16:
            return value / 65535;
        default:
            return value;
    }
}

// Elements within a buffer view. That all of them are there has been checked.
struct Elements {
    const char* first = nullptr;
    std::uint64_t stride = 0;
};

Elements elements(const GltfFile& file, int viewIndex, std::uint64_t offset, std::uint64_t count,
                  std::size_t size, const std::string& pointer)
{
    const BufferView& view = file.document.views[static_cast<std::size_t>(viewIndex)];
    const std::string viewPointer = pointerTo("bufferViews", static_cast<std::size_t>(viewIndex));
    const Buffer& buffer = file.document.buffers[static_cast<std::size_t>(view.buffer)];
    const std::uint64_t present = std::min<std::uint64_t>(buffer.length, file.bytes(buffer).size());
    // All of these are below 2⁵⁴, so that no sum or product of them below overflows 64 bits.
    if (!view.compressed && view.offset + view.length > present)
        fail(viewPointer, "the view ends at byte " + std::to_string(view.offset + view.length) +
                              " of a buffer of which " + std::to_string(present) + " are there");
    if (count == 0) return {};
    const std::uint64_t stride = view.stride == 0 ? size : view.stride;
    if (stride < size)
        fail(viewPointer + "/byteStride", "the stride is " + std::to_string(stride) +
                                              " bytes, less than an element of " + pointer + " takes (" +
                                              std::to_string(size) + ")");
    if (offset + (count - 1) * stride + size > view.length)
        fail(pointer, std::to_string(count) + " elements end at byte " +
                          std::to_string(offset + (count - 1) * stride + size) + " of " + viewPointer +
                          ", which has " + std::to_string(view.length));
    if (!view.compressed) return {file.bytes(buffer).data() + view.offset + offset, stride};
    // What was unpacked may be shorter than the view says.
    if (offset + (count - 1) * stride + size > view.unpacked.size())
        fail(pointer, std::to_string(count) + " elements end beyond the " +
                          std::to_string(view.unpacked.size()) + " bytes that " + viewPointer +
                          " unpacks to");
    return {view.unpacked.data() + offset, stride};
}

void loadElement(const Accessor& accessor, const char* from, std::size_t count, double* out)
{
    const std::size_t size = sizeOf(accessor.component);
    for (std::size_t i = 0; i < count; ++i) {
        const double value = load(accessor.component, from + i * size);
        out[i] = accessor.normalized ? fraction(accessor.component, value) : value;
    }
}

void applySparse(const GltfFile& file, const Accessor& accessor, const std::string& pointer,
                 std::vector<double>& out)
{
    const Sparse& sparse = *accessor.sparse;
    const std::size_t wide = width(accessor.shape);
    if (sparse.count > accessor.count)
        fail(pointer + "/sparse/count", "more elements are replaced than there are");
    const Elements indices = elements(file, sparse.indicesView, sparse.indicesOffset, sparse.count,
                                      sizeOf(sparse.indicesComponent), pointer + "/sparse/indices");
    const Elements values = elements(file, sparse.valuesView, sparse.valuesOffset, sparse.count,
                                     wide * sizeOf(accessor.component), pointer + "/sparse/values");
    double last = -1;
    for (std::uint64_t i = 0; i < sparse.count; ++i) {
        const double index = load(sparse.indicesComponent, indices.first + i * indices.stride);
        if (!(index > last) || index >= static_cast<double>(accessor.count))
            fail(pointer + "/sparse/indices", "the indices have to rise and to stay below the count");
        last = index;
        loadElement(accessor, values.first + i * values.stride, wide,
                    out.data() + static_cast<std::size_t>(index) * wide);
    }
}

void checkKind(const Accessor& accessor, Shape shape, Numbers kind, const std::string& pointer)
{
    static constexpr const char* shapes[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"};
    if (accessor.shape != shape)
        fail(pointer + "/type", std::string(shapes[static_cast<int>(shape)]) + " is expected here, found " +
                                    shapes[static_cast<int>(accessor.shape)]);
    const bool isFloat = accessor.component == Component::float32;
    const bool good = kind == Numbers::any      ? true
                      : kind == Numbers::floats ? isFloat
                      : kind == Numbers::indices
                          ? !isFloat && !accessor.normalized
                          : isFloat || (accessor.normalized && accessor.component != Component::uint32);
    if (!good)
        fail(pointer + "/componentType",
             std::string(kind == Numbers::floats ? "floats are expected here"
                         : kind == Numbers::indices
                             ? "unsigned whole numbers are expected here"
                             : "floats or normalised whole numbers are expected here") +
                 ", found " + (accessor.normalized ? "normalised " : "") + "type " +
                 std::to_string(static_cast<int>(accessor.component)));
}

}  // namespace

Budget::Budget(const GltfFile& file)
{
    constexpr std::uint64_t forAll = 4'000'000, perByte = 8;
    left_ = forAll;
    for (const Buffer& buffer : file.document.buffers)
        left_ += perByte * std::min<std::uint64_t>(buffer.length, file.bytes(buffer).size());
    for (const BufferView& view : file.document.views) left_ += 4 * view.unpacked.size();
}

void Budget::take(std::uint64_t count, const std::string& pointer)
{
    if (count > left_)
        fail(pointer, "together with what stands before it this makes more numbers than " +
                          std::string("the file's bytes can tell; the limit is 4000000 and 8 per byte"));
    left_ -= count;
}

std::size_t width(Shape shape)
{
    static constexpr std::size_t widths[] = {1, 2, 3, 4, 4, 9, 16};
    return widths[static_cast<int>(shape)];
}

std::vector<double> numbers(const GltfFile& file, int index, Shape shape, Numbers kind, Budget& budget)
{
    const Accessor& accessor = file.document.accessors[static_cast<std::size_t>(index)];
    const std::string pointer = pointerTo("accessors", static_cast<std::size_t>(index));
    checkKind(accessor, shape, kind, pointer);
    const std::size_t wide = width(shape);
    if (accessor.count > (std::uint64_t{1} << 40))
        fail(pointer + "/count", "there cannot be so many elements");
    budget.take(accessor.count * wide, pointer + "/count");
    // Before the memory for them is taken: are they there?
    Elements from;
    if (accessor.view >= 0)
        from = elements(file, accessor.view, accessor.offset, accessor.count,
                        wide * sizeOf(accessor.component), pointer);

    std::vector<double> out(accessor.count * wide, 0.0);
    for (std::uint64_t i = 0; from.first != nullptr && i < accessor.count; ++i)
        loadElement(accessor, from.first + i * from.stride, wide, out.data() + i * wide);
    if (accessor.sparse) applySparse(file, accessor, pointer, out);
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!std::isfinite(out[i])) fail(pointer, "element " + std::to_string(i / wide) + " is not finite");
    return out;
}

SkinSet skinSet(const GltfFile& file, const Primitive& primitive, std::size_t set, std::size_t count,
                const std::string& pointer, Budget& budget)
{
    SkinSet out;
    out.joints = numbers(file, primitive.joints[set], Shape::vec4, Numbers::indices, budget);
    out.weights = numbers(file, primitive.weights[set], Shape::vec4, Numbers::floatsOrFractions, budget);
    if (out.joints.size() != 4 * count || out.weights.size() != 4 * count)
        fail(pointer + "/attributes", "POSITION, JOINTS and WEIGHTS differ in length");
    return out;
}

}  // namespace sinew::gltf
