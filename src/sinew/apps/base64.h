// Numbers as text: a page holds them as base64 of little-endian float32.
#pragma once

#include <string>

#include "sinew/io/base64.h"
#include "sinew/io/whole_file.h"

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
