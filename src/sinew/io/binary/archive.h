// Numbers and texts in a row of bytes, written and read by the same lines of code:
//
//     template <class Archive>
//     void fields(Archive& archive, Thing& thing) { archive.field(thing.number); … }
//
// with an ArchiveWriter or an ArchiveReader. Every number has eight bytes, little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "sinew/math/types.h"

namespace sinew {

static_assert(std::endian::native == std::endian::little);

inline void putRaw(std::string& bytes, const void* data, std::size_t size)
{
    bytes.append(static_cast<const char*>(data), size);
}

struct ArchiveWriter {
    std::string bytes;

    void field(std::uint64_t& v) { putRaw(bytes, &v, sizeof v); }
    void field(double& v) { putRaw(bytes, &v, sizeof v); }
    void field(std::string& v)
    {
        std::uint64_t size = v.size();
        field(size);
        putRaw(bytes, v.data(), v.size());
    }
    // Numbers in a row, whose count is stored too.
    std::uint64_t count(std::uint64_t present, std::size_t = 0)
    {
        field(present);
        return present;
    }
    void refuse() {}
};

// Reads what ArchiveWriter wrote. After the first field that is not there, `good` is false and values are
// zero.
struct ArchiveReader {
    std::string_view bytes;
    bool good = true;

    void raw(void* data, std::size_t size)
    {
        if (size > bytes.size()) {
            good = false;
            bytes = {};
            std::memset(data, 0, size);
            return;
        }
        std::memcpy(data, bytes.data(), size);
        bytes.remove_prefix(size);
    }
    void refuse() { good = false; }
    void field(std::uint64_t& v) { raw(&v, sizeof v); }
    void field(double& v) { raw(&v, sizeof v); }
    void field(std::string& v)
    {
        const std::uint64_t size = count(0, 1);
        v.assign(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    // A count of things of at least `unit` bytes each cannot be larger than what is left.
    std::uint64_t count(std::uint64_t, std::size_t unit = sizeof(double))
    {
        std::uint64_t stored = 0;
        field(stored);
        if (stored > bytes.size() / unit) good = false;
        return good ? stored : 0;
    }
};

template <class Archive>
void fields(Archive& archive, Vec3& v)
{
    for (double& x : v) archive.field(x);
}

template <class Archive>
void fields(Archive& archive, VecX& v)
{
    v.resize(static_cast<int>(archive.count(static_cast<std::uint64_t>(v.size()))));
    for (double& x : v) archive.field(x);
}

template <class Archive, class Integer>
void integer(Archive& archive, Integer& v)
{
    std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    archive.field(bits);
    v = static_cast<Integer>(static_cast<std::int64_t>(bits));
    if (static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) != bits) archive.refuse();
}

inline constexpr std::size_t archiveWord = 8;  // bytes of each number

}  // namespace sinew
