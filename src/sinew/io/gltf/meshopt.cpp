#include "sinew/io/gltf/meshopt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace sinew::gltf {
namespace {

constexpr std::size_t groupSize = 16, tailSize = 32;

// Reads bytes one after the other; past the end there are none, and `failed` tells.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

    unsigned next()
    {
        if (at_ >= bytes_.size()) {
            failed_ = true;
            return 0;
        }
        return static_cast<unsigned char>(bytes_[at_++]);
    }
    // Seven bits a byte, the lowest first; the last one is below 128.
    std::uint32_t varying()
    {
        std::uint32_t value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            const unsigned byte = next();
            value |= (byte & 127U) << shift;
            if (byte < 128) return value;
        }
        return value;
    }
    std::uint32_t after(std::uint32_t last)
    {
        const std::uint32_t v = varying();
        return last + ((v >> 1) ^ (0U - (v & 1U)));
    }
    bool failed() const { return failed_; }
    bool isAtEnd() const { return at_ == bytes_.size(); }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

// Sixteen differences of one byte of as many elements.
void readGroup(Bytes& bytes, unsigned mode, std::array<unsigned, groupSize>& out)
{
    if (mode == 0) {
        out.fill(0);
    } else if (mode == 3) {
        for (unsigned& byte : out) byte = bytes.next();
    } else {
        // Two or four bits each, the first ones highest; all of them set: a whole byte behind.
        const int bits = mode == 1 ? 2 : 4;
        const unsigned all = (1U << bits) - 1;
        const std::size_t perByte = mode == 1 ? 4 : 2;
        for (std::size_t i = 0; i < groupSize; i += perByte) {
            const unsigned packed = bytes.next();
            for (std::size_t k = 0; k < perByte; ++k)
                out[i + k] = packed >> (8 - bits * static_cast<int>(k + 1)) & all;
        }
        for (unsigned& byte : out)
            if (byte == all) byte = bytes.next();
    }
}

std::string attributes(const MeshoptView& view, std::string_view compressed, std::string& out)
{
    const std::size_t stride = view.stride, count = view.count;
    if (stride == 0 || stride > 256 || stride % 4 != 0)
        return "has a stride of " + std::to_string(stride) + "; attributes have one of 4, 8 … 256";
    const std::size_t tail = std::max(stride, tailSize);
    // A byte says of four groups that they are empty.
    const std::uint64_t least = 1 + tail + stride * (count / (4 * groupSize));
    if (compressed.size() < least || compressed.empty()) return "is cut short";
    if (static_cast<unsigned char>(compressed[0]) != 0xa0) return "is of a version that is not read";
    out.assign(stride * count, '\0');
    std::string last(compressed.substr(compressed.size() - stride));
    Bytes bytes(compressed.substr(1, compressed.size() - 1 - tail));
    const std::size_t most = std::min<std::size_t>(256, (8192 / stride) & ~(groupSize - 1));
    for (std::size_t first = 0; first < count; first += most) {
        const std::size_t size = std::min(most, count - first), groups = (size + groupSize - 1) / groupSize;
        for (std::size_t k = 0; k < stride; ++k) {
            std::array<unsigned, 4> modes{};  // of at most sixteen groups
            for (std::size_t g = 0; g < groups; g += 4) modes[g / 4] = bytes.next();
            unsigned value = static_cast<unsigned char>(last[k]);
            for (std::size_t g = 0; g < groups; ++g) {
                std::array<unsigned, groupSize> group{};
                readGroup(bytes, modes[g / 4] >> (g % 4 * 2) & 3U, group);
                for (std::size_t i = 0; i < groupSize && g * groupSize + i < size; ++i) {
                    const unsigned d = group[i];
                    value = (value + ((d & 1U) != 0 ? ~(d >> 1) : d >> 1)) & 255U;
                    out[(first + g * groupSize + i) * stride + k] = static_cast<char>(value);
                }
            }
            last[k] = static_cast<char>(value);
        }
        if (bytes.failed()) return "is cut short";
    }
    if (!bytes.isAtEnd()) return "has bytes too many";
    return {};
}

class Indices {
public:
    Indices(std::string& out, std::size_t size) : out_(out), size_(size) {}
    void add(std::uint32_t index)
    {
        if (size_ == 2) index &= 0xffffU;
        for (std::size_t i = 0; i < size_; ++i) out_ += static_cast<char>(index >> (8 * i));
    }

private:
    std::string& out_;
    std::size_t size_;
};

// The last sixteen corners and edges.
struct Recent {
    std::array<std::array<std::uint32_t, 2>, 16> edges;
    std::array<std::uint32_t, 16> corners;
    unsigned edge = 0, corner = 0;

    Recent()
    {
        edges.fill({0xffffffffU, 0xffffffffU});
        corners.fill(0xffffffffU);
    }
    void addEdge(std::uint32_t a, std::uint32_t b) { edges[edge++ & 15U] = {a, b}; }
    void addCorner(std::uint32_t a) { corners[corner++ & 15U] = a; }
    std::uint32_t cornerBefore(unsigned steps) const { return corners[(corner - steps) & 15U]; }
};

std::string triangles(const MeshoptView& view, std::string_view compressed, std::string& out)
{
    constexpr std::size_t table = 16;
    const std::size_t count = view.count / 3;
    if (view.count % 3 != 0) return "has triangles without three corners";
    if (compressed.size() < 1 + count + table) return "is cut short";
    const unsigned head = static_cast<unsigned char>(compressed[0]);
    if (head != 0xe0 && head != 0xe1) return "is of a version that is not read";
    const unsigned firstFree = head == 0xe1 ? 13 : 15;
    const std::string_view codes = compressed.substr(1, count),
                           pairs = compressed.substr(compressed.size() - table);
    Bytes bytes(compressed.substr(1 + count, compressed.size() - 1 - count - table));
    out.reserve(view.count * view.stride);
    Indices indices(out, view.stride);
    Recent recent;
    std::uint32_t next = 0, last = 0;
    for (const char c : codes) {
        const unsigned code = static_cast<unsigned char>(c);
        std::uint32_t a, b, d;
        if (code < 0xf0) {
            const auto [from, to] = recent.edges[(recent.edge - 1 - (code >> 4)) & 15U];
            const unsigned how = code & 15U;
            a = from;
            b = to;
            const bool isNew = how == 0, isNamed = how >= firstFree;
            if (isNamed)
                d = last = how == 15 ? bytes.after(last) : how == 13 ? last - 1 : last + 1;
            else
                d = isNew ? next++ : recent.cornerBefore(1 + how);
            if (isNew || isNamed) recent.addCorner(d);
        } else {
            const bool isShort = code < 0xfe;
            const unsigned pair = isShort ? static_cast<unsigned char>(pairs[code & 15U]) : bytes.next();
            const unsigned how = pair >> 4, last16 = pair & 15U;
            const bool isFirstNamed = code == 0xff;
            if (!isShort && pair == 0) next = 0;
            a = isFirstNamed ? 0 : next++;
            b = how == 0 ? next++ : recent.cornerBefore(how);
            d = last16 == 0 ? next++ : recent.cornerBefore(last16);
            const bool named = !isShort;
            if (named && isFirstNamed) a = last = bytes.after(last);
            if (named && how == 15) b = last = bytes.after(last);
            if (named && last16 == 15) d = last = bytes.after(last);
            recent.addCorner(a);
            if (how == 0 || (named && how == 15)) recent.addCorner(b);
            if (last16 == 0 || (named && last16 == 15)) recent.addCorner(d);
            recent.addEdge(b, a);
        }
        recent.addEdge(d, b);
        recent.addEdge(a, d);
        for (std::uint32_t corner : {a, b, d}) indices.add(corner);
    }
    if (bytes.failed()) return "is cut short";
    if (!bytes.isAtEnd()) return "has bytes too many";
    return {};
}

std::string sequence(const MeshoptView& view, std::string_view compressed, std::string& out)
{
    constexpr std::size_t tail = 4;
    if (compressed.size() < 1 + view.count + tail) return "is cut short";
    const unsigned head = static_cast<unsigned char>(compressed[0]);
    if (head != 0xd0 && head != 0xd1) return "is of a version that is not read";
    Bytes bytes(compressed.substr(1, compressed.size() - 1 - tail));
    out.reserve(view.count * view.stride);
    Indices indices(out, view.stride);
    std::array<std::uint32_t, 2> last{};
    for (std::uint64_t i = 0; i < view.count; ++i) {
        std::uint32_t v = bytes.varying();
        std::uint32_t& base = last[v & 1U];
        v >>= 1;
        base += (v >> 1) ^ (0U - (v & 1U));
        indices.add(base);
    }
    if (bytes.failed()) return "is cut short";
    if (!bytes.isAtEnd()) return "has bytes too many";
    return {};
}

// ---- filters --------------------------------------------------------------------------------------------

template <class T>
T at(const char* from, std::size_t i)
{
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    return value;
}
template <class T>
void put(char* to, std::size_t i, T value)
{
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

// A unit vector as a place on an octahedron, whose half is the third number; the fourth stays.
template <class T>
void octahedral(char* element, double most)
{
    const double one = std::max<double>(at<T>(element, 2), 1);
    double x = at<T>(element, 0) / one, y = at<T>(element, 1) / one;
    const double z = 1 - std::abs(x) - std::abs(y), fold = std::max(-z, 0.0);
    x -= x >= 0 ? fold : -fold;
    y -= y >= 0 ? fold : -fold;
    const double scale = most / std::max(std::sqrt(x * x + y * y + z * z), 1e-30);
    put(element, 0, static_cast<T>(std::lround(x * scale)));
    put(element, 1, static_cast<T>(std::lround(y * scale)));
    put(element, 2, static_cast<T>(std::lround(z * scale)));
}

// The three smaller parts of a unit quaternion; the fourth number says which one is left out, and the
// scale.
void quaternion(char* element)
{
    const int word = at<std::int16_t>(element, 3);
    const double scale = std::sqrt(0.5) / (word | 3);
    const auto left = static_cast<std::size_t>(word & 3);
    std::array<double, 4> parts{};
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        parts[i + 1] = at<std::int16_t>(element, i) * scale;
        sum += parts[i + 1] * parts[i + 1];
    }
    parts[0] = std::sqrt(std::max(0.0, 1 - sum));
    for (std::size_t i = 0; i < 4; ++i)
        put(element, (left + i) % 4,
            static_cast<std::int16_t>(std::lround(std::clamp(parts[i], -1.0, 1.0) * 32767)));
}

// A whole number of 24 bits times two to the one of 8 bits.
void exponential(char* number)
{
    const auto bits = at<std::uint32_t>(number, 0);
    const int exponent = static_cast<std::int8_t>(bits >> 24);
    const int mantissa = static_cast<std::int32_t>(bits << 8) >> 8;
    put(number, 0, std::ldexp(static_cast<float>(mantissa), exponent));
}

std::string filter(const MeshoptView& view, std::string& bytes)
{
    using Filter = MeshoptView::Filter;
    const std::size_t stride = view.stride;
    if (view.filter == Filter::none) return {};
    if (view.mode != MeshoptView::Mode::attributes) return "has a filter that is for attributes";
    if (view.filter == Filter::octahedral && stride != 4 && stride != 8)
        return "has a stride that the octahedral filter does not have";
    if (view.filter == Filter::quaternion && stride != 8)
        return "has a stride that the quaternion filter does not have";
    if (view.filter == Filter::exponential)
        for (std::size_t i = 0; i < bytes.size(); i += 4) exponential(&bytes[i]);
    else
        for (std::size_t i = 0; i < bytes.size(); i += stride) {
            if (view.filter == Filter::quaternion)
                quaternion(&bytes[i]);
            else
                stride == 4 ? octahedral<std::int8_t>(&bytes[i], 127)
                            : octahedral<std::int16_t>(&bytes[i], 32767);
        }
    return {};
}

}  // namespace

Result<std::string> meshoptBytes(const MeshoptView& view, std::string_view compressed)
{
    using Mode = MeshoptView::Mode;
    const auto refuse = [](const std::string& why) {
        return Diagnostic{"the data, compressed by meshopt, " + why, "", ""};
    };
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    if (view.count > most || view.stride > 256) return refuse("is of more elements than a file can have");
    std::string out;
    if (view.mode != Mode::attributes && view.stride != 2 && view.stride != 4)
        return refuse("has a stride that indices do not have");
    std::string fault = view.mode == Mode::attributes  ? attributes(view, compressed, out)
                        : view.mode == Mode::triangles ? triangles(view, compressed, out)
                                                       : sequence(view, compressed, out);
    if (fault.empty()) fault = filter(view, out);
    if (!fault.empty()) return refuse(fault);
    return out;
}

}  // namespace sinew::gltf
