// Numbers as little-endian bytes, whatever the machine; and CRC-32 (IEEE 802.3, as zlib has it).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinew {

template <class Unsigned>
void appendUnsigned(std::string& bytes, Unsigned number)
{
    char little[sizeof number];
    for (std::size_t i = 0; i < sizeof number; ++i)
        little[i] = static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
    bytes.append(little, sizeof number);
}

inline void appendDouble(std::string& bytes, double number)
{
    appendUnsigned(bytes, std::bit_cast<std::uint64_t>(number));
}

// The caller knows that the bytes are there.
template <class Unsigned>
Unsigned unsignedAt(std::string_view bytes, std::size_t at)
{
    Unsigned number = 0;
    for (std::size_t i = sizeof number; i-- > 0;)
        number = static_cast<Unsigned>(number << 8 | static_cast<unsigned char>(bytes[at + i]));
    return number;
}

inline double doubleAt(std::string_view bytes, std::size_t at)
{
    return std::bit_cast<double>(unsignedAt<std::uint64_t>(bytes, at));
}

inline std::uint32_t crc32(std::string_view bytes)
{
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> t{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            t[i] = i;
            for (int bit = 0; bit < 8; ++bit) t[i] = t[i] >> 1 ^ (t[i] & 1 ? 0xEDB88320u : 0);
        }
        return t;
    }();
    std::uint32_t crc = ~0u;
    for (char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
    return ~crc;
}

}  // namespace sinew
