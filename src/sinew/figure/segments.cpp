#include "sinew/figure/segments.h"

namespace sinew {
namespace {

// Rows in the order of Segment. Trunk and head are published from above; here they run upward, so that
// their centres are one minus the printed number.
constexpr SegmentTable tables[] = {
    {"winter",
     "D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th ed., Wiley 2009, table 4.1, "
     "after "
     "W. T. Dempster, Space requirements of the seated operator, 1955",
     {{
         {0.081, 0.5},
         {0.497, 0.5},
         {0.216, 1 - 0.82},
         {0.139, 1 - 0.44},
         {0.142, 1 - 0.105},
         {0.028, 0.436},
         {0.016, 0.430},
         {0.006, 0.506},
         {0.100, 0.433},
         {0.0465, 0.433},
         {0.0145, 0.5},
     }}},
    {"leva_male",
     "P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, Journal of "
     "Biomechanics 29 "
     "(1996) 1223-1230, table 4, males",
     {{
         {0.0694, 1 - 0.5002},
         {0.4346, 1 - 0.5138},
         {0.1596, 1 - 0.5066},
         {0.1633, 1 - 0.4502},
         {0.1117, 1 - 0.6115},
         {0.0271, 0.5772},
         {0.0162, 0.4574},
         {0.0061, 0.3624},
         {0.1416, 0.4095},
         {0.0433, 0.4395},
         {0.0137, 0.4415},
     }}},
    {"leva_female",
     "P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, Journal of "
     "Biomechanics 29 "
     "(1996) 1223-1230, table 4, females",
     {{
         {0.0668, 1 - 0.4841},
         {0.4257, 1 - 0.4964},
         {0.1545, 1 - 0.5050},
         {0.1465, 1 - 0.4512},
         {0.1247, 1 - 0.4920},
         {0.0255, 0.5754},
         {0.0138, 0.4559},
         {0.0056, 0.3427},
         {0.1478, 0.3612},
         {0.0481, 0.4352},
         {0.0129, 0.4014},
     }}},
};

constexpr std::string_view names[] = {"head_neck", "trunk", "thorax", "abdomen", "pelvis", "upper_arm",
                                      "forearm",   "hand",  "thigh",  "shank",   "foot",   "shin"};
static_assert(std::size(names) == segmentCount + 1);

}  // namespace

std::span<const SegmentTable> segmentTables()
{
    return tables;
}

const SegmentTable* findSegmentTable(std::string_view name)
{
    for (const SegmentTable& table : tables)
        if (table.name == name) return &table;
    return nullptr;
}

std::span<const std::string_view> segmentNames()
{
    return names;
}

std::optional<Segment> segmentFromName(std::string_view name)
{
    if (name == names[segmentCount]) return Segment::shank;
    for (int i = 0; i < segmentCount; ++i)
        if (name == names[i]) return static_cast<Segment>(i);
    return std::nullopt;
}

}  // namespace sinew
