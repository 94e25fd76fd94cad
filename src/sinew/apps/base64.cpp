#include "sinew/apps/base64.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sinew {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::size_t blockSize = 48 * 1024;  // whole groups of three bytes

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encoded(const std::string& bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (j < present ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j)
            text += j <= present ? alphabet[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

}  // namespace

void Base64Writer::add(double number)
{
    const bool fits = std::abs(number) <= std::numeric_limits<float>::max();
    const auto bits = std::bit_cast<std::array<char, 4>>(fits ? static_cast<float>(number)
                                                              : std::numeric_limits<float>::quiet_NaN());
    bytes_.append(bits.data(), bits.size());
    if (bytes_.size() >= blockSize) flush();
}

void Base64Writer::flush()
{
    file_.write(encoded(bytes_));
    bytes_.clear();
}

void Base64Writer::finish()
{
    flush();
}

}  // namespace sinew
