#include "sinew/io/picture/inflate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace sinew {
namespace {

// Bits from the lowest of each byte up. Beyond the end there are zeros, and `isOver` tells.
class Bits {
public:
    explicit Bits(std::string_view bytes) : bytes_(bytes) {}

    unsigned take(int count)
    {
        while (held_ < count) {
            std::uint32_t next = 0;
            if (at_ < bytes_.size())
                next = static_cast<unsigned char>(bytes_[at_]);
            else
                isOver_ = true;
            ++at_;
            buffer_ |= next << held_;
            held_ += 8;
        }
        const unsigned value = buffer_ & ((1U << count) - 1);
        buffer_ >>= count;
        held_ -= count;
        return value;
    }

    void toNextByte() { take(held_ % 8); }
    bool isOver() const { return isOver_; }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    std::uint32_t buffer_ = 0;
    int held_ = 0;
    bool isOver_ = false;
};

constexpr int longestCode = 15;

// A Huffman code by the lengths of its words: how many there are of each, and whose they are in order.
class Code {
public:
    explicit Code(const std::vector<int>& lengths) : symbols_(lengths.size())
    {
        for (int length : lengths) ++count_[static_cast<std::size_t>(length)];
        count_[0] = 0;
        std::array<int, longestCode + 2> first{};
        for (std::size_t length = 1; length <= longestCode; ++length)
            first[length + 1] = first[length] + count_[length];
        for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
            if (lengths[symbol] > 0)
                symbols_[static_cast<std::size_t>(first[static_cast<std::size_t>(lengths[symbol])]++)] =
                    static_cast<int>(symbol);
        int left = 1;
        for (std::size_t length = 1; length <= longestCode && left >= 0; ++length)
            left = 2 * left - count_[length];
        isGood_ = left >= 0;
    }

    bool isGood() const { return isGood_; }

    // −1: no word of this code.
    int next(Bits& bits) const
    {
        int code = 0, first = 0, index = 0;
        for (std::size_t length = 1; length <= longestCode; ++length) {
            code |= static_cast<int>(bits.take(1));
            const int count = count_[length];
            if (code - count < first) return symbols_[static_cast<std::size_t>(index + code - first)];
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        return -1;
    }

private:
    std::array<int, longestCode + 1> count_{};
    std::vector<int> symbols_;
    bool isGood_ = false;
};

class Inflater {
public:
    Inflater(std::string_view bytes, std::size_t size) : bits_(bytes), size_(size) {}

    bool run()
    {
        for (bool isLast = false; !isLast;) {
            isLast = bits_.take(1) == 1;
            const unsigned kind = bits_.take(2);
            const bool isGood = kind == 0 ? stored() : kind == 1 ? fixed() : kind == 2 && dynamic();
            if (!isGood || bits_.isOver()) return false;
        }
        return out_.size() == size_;
    }
    std::string take() { return std::move(out_); }

private:
    bool stored()
    {
        bits_.toNextByte();
        const unsigned length = bits_.take(16), inverse = bits_.take(16);
        if ((length ^ 0xffffU) != inverse || length > size_ - out_.size()) return false;
        for (unsigned i = 0; i < length; ++i) out_.push_back(static_cast<char>(bits_.take(8)));
        return true;
    }

    bool fixed()
    {
        std::vector<int> lengths(288, 8);
        std::fill(lengths.begin() + 144, lengths.begin() + 256, 9);
        std::fill(lengths.begin() + 256, lengths.begin() + 280, 7);
        return block(Code(lengths), Code(std::vector<int>(30, 5)));
    }

    bool dynamic()
    {
        const std::size_t literals = bits_.take(5) + 257, distances = bits_.take(5) + 1;
        const std::size_t words = bits_.take(4) + 4;
        constexpr std::array<std::size_t, 19> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
        std::vector<int> own(19, 0);
        for (std::size_t i = 0; i < words; ++i) own[order[i]] = static_cast<int>(bits_.take(3));
        const Code lengthCode(own);
        if (!lengthCode.isGood()) return false;
        std::vector<int> lengths;
        while (lengths.size() < literals + distances) {
            const int symbol = lengthCode.next(bits_);
            if (symbol < 0 || bits_.isOver()) return false;
            if (symbol < 16) {
                lengths.push_back(symbol);
                continue;
            }
            if (symbol == 16 && lengths.empty()) return false;
            const int value = symbol == 16 ? lengths.back() : 0;
            const unsigned times = symbol == 16   ? 3 + bits_.take(2)
                                   : symbol == 17 ? 3 + bits_.take(3)
                                                  : 11 + bits_.take(7);
            lengths.insert(lengths.end(), times, value);
        }
        if (lengths.size() != literals + distances) return false;
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(literals);
        const Code literal(std::vector<int>(lengths.begin(), middle));
        const Code distance(std::vector<int>(middle, lengths.end()));
        return literal.isGood() && distance.isGood() && block(literal, distance);
    }

    bool block(const Code& literal, const Code& distance)
    {
        constexpr std::array<unsigned, 29> lengthBase = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
        constexpr std::array<int, 29> lengthBits = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
        constexpr std::array<unsigned, 30> wayBase = {
            1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
            193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
        constexpr std::array<int, 30> wayBits = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
        for (;;) {
            const int symbol = literal.next(bits_);
            if (symbol < 0 || bits_.isOver()) return false;
            if (symbol == 256) return true;
            if (symbol < 256) {
                if (out_.size() >= size_) return false;
                out_.push_back(static_cast<char>(symbol));
                continue;
            }
            const auto kind = static_cast<std::size_t>(symbol - 257);
            if (kind >= lengthBase.size()) return false;
            const unsigned length = lengthBase[kind] + bits_.take(lengthBits[kind]);
            const int far = distance.next(bits_);
            if (far < 0 || static_cast<std::size_t>(far) >= wayBase.size()) return false;
            const unsigned way =
                wayBase[static_cast<std::size_t>(far)] + bits_.take(wayBits[static_cast<std::size_t>(far)]);
            if (way > out_.size() || length > size_ - out_.size()) return false;
            for (unsigned i = 0; i < length; ++i) out_.push_back(out_[out_.size() - way]);
        }
    }

    Bits bits_;
    std::size_t size_;
    std::string out_;
};

std::uint32_t adler(std::string_view bytes)
{
    std::uint32_t a = 1, b = 0;
    for (char c : bytes) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

}  // namespace

std::optional<std::string> inflated(std::string_view zlib, std::size_t size)
{
    if (zlib.size() < 6) return {};
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(zlib[i]));
    };
    const bool isDeflate =
        (byte(0) & 15) == 8 && (byte(0) >> 4) <= 7 && (byte(0) * 256 + byte(1)) % 31 == 0;
    const bool hasDictionary = (byte(1) & 32) != 0;
    if (!isDeflate || hasDictionary) return {};
    Inflater inflater(zlib.substr(2, zlib.size() - 6), size);
    if (!inflater.run()) return {};
    std::string out = inflater.take();
    std::uint32_t sum = 0;
    for (std::size_t i = zlib.size() - 4; i < zlib.size(); ++i) sum = sum << 8 | byte(i);
    if (sum != adler(out)) return {};
    return out;
}

}  // namespace sinew
