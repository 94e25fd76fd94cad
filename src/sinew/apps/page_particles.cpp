#include "sinew/apps/page_particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/apps/page_text.h"
#include "sinew/io/base64.h"
#include "sinew/io/binary/little_endian.h"
#include "sinew/io/binary/points_file.h"
#include "sinew/io/json/json.h"
#include "sinew/model/particles.h"

namespace sinew {
namespace {

constexpr double mostParticleText = 24e6;  // characters of base64
constexpr std::size_t eachBytes = 18, idBytes = 4;
constexpr double leastRate = 29;  // frames a second, before particles are left out

// Of those with trails, the number of birth tells where a particle was before.
std::size_t bytesOf(const ParticleSystem& system)
{
    return eachBytes + (system.trail > 0 ? idBytes : 0);
}

// What numbers of 16 bits stand for.
struct Ranges {
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    float size = 0, speed = 0;

    void add(const ParticleLook& look)
    {
        for (std::size_t i = 0; i < look.places.size(); ++i) {
            low[i % 3] = std::min(low[i % 3], look.places[i]);
            high[i % 3] = std::max(high[i % 3], look.places[i]);
        }
        for (float x : look.sizes) size = std::max(size, x);
        for (float v : look.velocities) speed = std::max(speed, std::abs(v));
    }
    bool isEmpty() const { return !(low[0] <= high[0]); }
};

std::uint16_t part(float x, float low, float high)
{
    const float s = high > low ? (x - low) / (high - low) : 0;
    return static_cast<std::uint16_t>(std::clamp(s, 0.f, 1.f) * 65535 + 0.5f);
}

void pack(const ParticleLook& look, bool hasIds, const Ranges& r, std::uint64_t oneIn, std::string& bytes,
          std::uint64_t& count)
{
    count = 0;
    for (std::size_t i = 0; i < look.sizes.size(); ++i) {
        if (look.ids[i] % oneIn != 0) continue;
        ++count;
        for (std::size_t k = 0; k < 3; ++k)
            appendUnsigned(bytes, part(look.places[3 * i + k], r.low[k], r.high[k]));
        appendUnsigned(bytes, part(look.sizes[i], 0, r.size));
        appendUnsigned(bytes, look.colors[i]);
        for (std::size_t k = 0; k < 3; ++k)
            appendUnsigned(bytes, part(look.velocities[3 * i + k], -r.speed, r.speed));
        if (hasIds) appendUnsigned(bytes, look.ids[i]);
    }
}

std::string listOf(const float* numbers, int count)
{
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + json::numberText(numbers[i]);
    return text + "]";
}

std::string systemsText(const Model& model)
{
    static constexpr const char* shapes[] = {"point", "streak", "sprite", "sphere"};
    std::string text = "[";
    for (const ParticleSystem& system : model.particles)
        text += fmt::format(
            "{}{{\"name\": {}, \"shape\": \"{}\", \"shadow\": {}, \"emission\": {}, \"trail\": {}}}",
            text.size() > 1 ? ", " : "", scriptText(system.name), shapes[static_cast<int>(system.shape)],
            system.shadow, system.emission, json::numberText(system.trail * system.trailEvery));
    return text + "]";
}

// What a file can be of a model's systems at all.
std::string unfitPoints(const PointsReader& reader, const Model& model, const std::string& path,
                        std::uint64_t frames)
{
    if (reader.frames() != frames)
        return fmt::format("{}: has {} frames and the tables have {}: one of them is cut off", path,
                           reader.frames(), frames);
    if (reader.header().systems.size() != model.particles.size() || !reader.header().velocities)
        return fmt::format("{}: does not hold the particles of this scene", path);
    return {};
}

}  // namespace

std::string writeParticles(WholeFile& page, const std::string& path, const Model& model,
                           std::uint64_t frames, std::uint64_t every, ParticleExtent& extent)
{
    Result<PointsReader> opened = PointsReader::open(path);
    if (!opened) return opened.error().text();
    PointsReader& reader = opened.value();
    if (std::string unfit = unfitPoints(reader, model, path, frames); !unfit.empty()) return unfit;
    PointsFrame frame;
    Ranges ranges;
    double bytes = 0;
    const auto& systems = model.particles;
    for (std::uint64_t k = 0; k < frames; k += every) {
        if (const auto fault = reader.frame(k, frame)) return fault->text();
        for (std::size_t i = 0; i < systems.size(); ++i) {
            ranges.add(frame.systems[i]);
            bytes += static_cast<double>(bytesOf(systems[i])) * frame.systems[i].count();
        }
    }
    if (ranges.isEmpty()) ranges = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    const auto timesTooMuch = [&](double text) {
        return text > mostParticleText ? static_cast<std::uint64_t>(std::ceil(text / mostParticleText)) : 1;
    };
    const double text = bytes * 4 / 3, rate = reader.header().fps / static_cast<double>(every);
    const auto spare = static_cast<std::uint64_t>(std::max(1., std::floor(rate / leastRate)));
    extent.every = std::min(timesTooMuch(text), spare);
    extent.oneIn = timesTooMuch(text / static_cast<double>(extent.every));

    page.write(fmt::format(
        "{{\"every\": {}, \"one_in\": {}, \"systems\": {}, \"low\": {}, \"high\": {}, \"size\": "
        "{}, \"speed\": {}, \"values\": \"",
        extent.every, extent.oneIn, systemsText(model), listOf(ranges.low, 3), listOf(ranges.high, 3),
        json::numberText(ranges.size), json::numberText(ranges.speed)));
    std::string counts, packed;
    for (std::uint64_t k = 0; k < frames; k += every * extent.every) {
        if (const auto fault = reader.frame(k, frame)) return fault->text();
        for (std::size_t i = 0; i < systems.size(); ++i) {
            std::uint64_t count = 0;
            pack(frame.systems[i], systems[i].trail > 0, ranges, extent.oneIn, packed, count);
            counts += fmt::format("{}{}", counts.empty() ? "" : ",", count);
        }
        const std::size_t whole = packed.size() / 3 * 3;
        page.write(base64Text(std::string_view(packed).substr(0, whole)));
        packed.erase(0, whole);
    }
    page.write(base64Text(packed) + "\", \"counts\": [" + counts + "]}");
    return {};
}

}  // namespace sinew
