#include "sinew/apps/base64.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace sinew {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::size_t blockSize = 48 * 1024;  // whole groups of three bytes

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
    file_.write(base64Text(bytes_));
    bytes_.clear();
}

void Base64Writer::finish()
{
    flush();
}

}  // namespace sinew
