#include "sinew/rig/tone.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace sinew {
namespace {

constexpr unsigned left = 0x6d93bd, right = 0xcf9468, middle = 0xcdc6bb, obstacle = 0x9ba3ac;
constexpr std::array<unsigned, 8> figures = {0xcdc6bb, 0x6d93bd, 0xcf9468, 0x8fae7b,
                                             0xb58fb0, 0xd8b85f, 0x74aaa8, 0xc97b76};

// The sRGB transfer function (IEC 61966-2-1), backwards.
double linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Vec3 linear3(unsigned rgb)
{
    return {linear((rgb >> 16 & 0xff) / 255.0), linear((rgb >> 8 & 0xff) / 255.0),
            linear((rgb & 0xff) / 255.0)};
}

// Whether one of the words stands in the name, with no letter before or behind it.
bool hasWord(std::string_view name, std::string_view word, char letter)
{
    std::string here;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const char c = i < name.size() ? name[i] : ' ';
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            here += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        if (here == word || (here.size() == 1 && here[0] == letter)) return true;
        here.clear();
    }
    return false;
}

}  // namespace

Vec3 toneOf(const RunRig& figure, std::size_t bone)
{
    if (bone < figure.colors.size() && figure.colors[bone]) {
        const Vec3& own = *figure.colors[bone];
        return {linear(own.x()), linear(own.y()), linear(own.z())};
    }
    const std::vector<int>& of = figure.skeletons;
    if (std::any_of(of.begin(), of.end(), [&](int skeleton) { return skeleton != of.front(); }))
        return linear3(figures[static_cast<std::size_t>(of[bone]) % figures.size()]);
    const std::string& name = figure.bones[bone].name;
    return linear3(hasWord(name, "left", 'l') ? left : hasWord(name, "right", 'r') ? right : middle);
}

Vec3 obstacleTone()
{
    return linear3(obstacle);
}

}  // namespace sinew
