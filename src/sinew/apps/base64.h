// Bytes as text: base64 (RFC 4648). A page holds its numbers so, as little-endian float32, and a browser
// hands over pictures so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sinew/apps/files.h"

namespace sinew {

// Streams numbers into a file.
class Base64Writer {
public:
    explicit Base64Writer(WholeFile& file) : file_(file) {}

    // A number that float32 cannot hold becomes NaN.
    void add(double number);
    void finish();

private:
    void flush();

    WholeFile& file_;
    std::string bytes_;
};

// How many characters so many numbers take.
constexpr double base64Size(double numbers)
{
    return numbers * 4 * 4 / 3;
}

std::string base64Text(std::string_view bytes);

// The bytes of such a text; nothing if it is not base64, or not whole.
std::optional<std::string> base64Bytes(std::string_view text);

}  // namespace sinew
