// Numbers as text: little-endian float32 in base64 (RFC 4648), which is how a page holds them.
#pragma once

#include <string>

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

}  // namespace sinew
