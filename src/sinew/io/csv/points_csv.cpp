#include "sinew/io/csv/points_csv.h"

#include <charconv>

#include "sinew/io/csv/csv.h"

namespace sinew {
namespace {

// The shortest text that reads back as the same float.
void appendSingle(std::string& text, float number)
{
    char buffer[32];
    text += ',';
    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

void appendPointRows(const std::string& time, const std::string& name, const ParticleLook& look,
                     bool velocities, std::string& text)
{
    for (std::size_t i = 0; i < look.sizes.size(); ++i) {
        text += time + ',' + name + ',' + std::to_string(look.ids[i]);
        for (std::size_t k = 0; k < 3; ++k) appendSingle(text, look.places[3 * i + k]);
        for (std::size_t k = 0; velocities && k < 3; ++k) appendSingle(text, look.velocities[3 * i + k]);
        appendSingle(text, look.sizes[i]);
        for (int k = 0; k < 4; ++k) text += ',' + std::to_string(look.colors[i] >> (8 * k) & 0xff);
        text += '\n';
    }
}

}  // namespace

Result<std::uint64_t> writePointsCsv(const std::string& path, PointsReader& points)
{
    const PointsHeader& header = points.header();
    WholeFile file(path);
    file.write(std::string("time,system,id,x,y,z,") + (header.velocities ? "vx,vy,vz," : "") +
               "radius,red,green,blue,opacity\n");
    PointsFrame frame;
    std::string text;
    for (std::uint64_t k = 0; k < points.frames(); ++k) {
        if (const auto fault = points.frame(k, frame)) return *fault;
        std::string time;
        appendNumber(time, frame.time);
        for (std::size_t i = 0; i < header.systems.size(); ++i) {
            text.clear();
            appendPointRows(time, csvField(header.systems[i].name), frame.systems[i], header.velocities,
                            text);
            file.write(text);
        }
    }
    const std::string fault = file.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return file.size();
}

}  // namespace sinew
