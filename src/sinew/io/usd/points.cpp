#include "sinew/io/usd/points.h"

#include <cmath>

namespace sinew {
namespace {

// The sRGB transfer function (IEC 61966-2-1), backwards, of a byte.
double linearLevel(std::uint32_t byte)
{
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::string placeText(const ParticleLook& look, std::size_t i)
{
    const float* p = &look.places[3 * i];
    return UsdText::singles(Vec3(p[0], p[1], p[2]));
}
std::string widthText(const ParticleLook& look, std::size_t i)
{
    return UsdText::single(2 * look.sizes[i]);
}
std::string colorText(const ParticleLook& look, std::size_t i)
{
    const std::uint32_t c = look.colors[i];
    return UsdText::singles(
        Vec3(linearLevel(c & 0xff), linearLevel(c >> 8 & 0xff), linearLevel(c >> 16 & 0xff)));
}
std::string opacityText(const ParticleLook& look, std::size_t i)
{
    return UsdText::single((look.colors[i] >> 24) / 255.0);
}
std::string idText(const ParticleLook& look, std::size_t i)
{
    return std::to_string(look.ids[i]);
}

struct Attribute {
    const char* name;
    std::string (*text)(const ParticleLook&, std::size_t);
    bool isPrimvar;
};

}  // namespace

std::optional<Diagnostic> writePoints(UsdText& text, const std::vector<std::string>& names,
                                      PointsReader& points, const std::vector<double>& codes)
{
    static constexpr Attribute attributes[] = {
        {"int64[] ids", idText, false},
        {"point3f[] points", placeText, false},
        {"color3f[] primvars:displayColor", colorText, true},
        {"float[] primvars:displayOpacity", opacityText, true},
        {"float[] widths", widthText, false},
    };
    PointsFrame frame;
    std::optional<Diagnostic> fault;
    for (std::size_t system = 0; system < names.size(); ++system) {
        text.open("Points", names[system]);
        for (const Attribute& attribute : attributes) {
            // How often a value changes is told before the values.
            if (attribute.isPrimvar) {
                text.line(std::string(attribute.name) + " (");
                text.line("    interpolation = \"vertex\"");
                text.line(")");
            }
            text.samples(attribute.name, codes, [&](std::size_t k) {
                if (!fault) fault = points.frame(k, frame);
                if (fault) return std::string("[]");
                const ParticleLook& look = frame.systems[system];
                return UsdText::list(look.sizes.size(),
                                     [&](std::size_t i) { return attribute.text(look, i); });
            });
        }
        text.close();
        if (fault) return fault;
    }
    return {};
}

}  // namespace sinew
