// FNV-1a over bytes, 64 bits: tells whether two runs ended with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace sinew {

class Hash {
public:
    void add(const void* data, std::size_t size)
    {
        const auto* bytes = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 1099511628211ull;
    }
    // −0 and 0 are the same number, so they hash alike.
    void add(double number)
    {
        if (number == 0) number = 0;
        add(&number, sizeof number);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 14695981039346656037ull;
};

// As files and people see it: 16 hexadecimal digits.
inline std::string hashText(std::uint64_t hash)
{
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

}  // namespace sinew
