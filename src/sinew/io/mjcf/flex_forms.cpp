#include "sinew/io/mjcf/flex_forms.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/math/rotation.h"

namespace sinew::mjcf {
namespace {

using Count = std::array<int, 3>;

Vec3 nodeAt(const Count& count, const Vec3& spacing, const Count& at)
{
    Vec3 place;
    for (int k = 0; k < 3; ++k) place[k] = spacing[k] * (at[k] - 0.5 * (count[k] - 1));
    return place;
}

int numberOf(const Count& count, const Count& at)
{
    return (at[0] * count[1] + at[1]) * count[2] + at[2];
}

void addQuad(FlexForm& form, int a, int b, int c, int d)
{
    form.faces.push_back({a, b, c});
    form.faces.push_back({a, c, d});
}

double volumeOf(const FlexForm& form, const std::array<int, 4>& cell)
{
    const Vec3& o = form.points[cell[0]];
    return (form.points[cell[1]] - o).dot((form.points[cell[2]] - o).cross(form.points[cell[3]] - o)) / 6;
}

// A cube in six: along each way from its first corner to its last.
void addCube(FlexForm& form, const Count& count, const Count& at)
{
    constexpr int ways[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& way : ways) {
        Count corner = at;
        std::array<int, 4> cell = {numberOf(count, corner), 0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            ++corner[way[k]];
            cell[k + 1] = numberOf(count, corner);
        }
        if (volumeOf(form, cell) < 0) std::swap(cell[2], cell[3]);
        form.cells.push_back(cell);
    }
}

// The place of a node of the outside, from −1 to 1 each way, on the unit sphere or the round of a cylinder.
Vec3 rounded(const std::string& type, const Vec3& place)
{
    if (type == "ellipsoid") return place.normalized() * place.cwiseAbs().maxCoeff();
    const Vec2 flat(place.x(), place.y());
    if (type == "box" || flat.isZero(0)) return place;
    const Vec2 round = flat.normalized() * flat.cwiseAbs().maxCoeff();
    return {round.x(), round.y(), place.z()};
}

}  // namespace

FlexForm flexGrid(int dimension, const Count& count, const Vec3& spacing)
{
    FlexForm form;
    Count at;
    for (at[0] = 0; at[0] < count[0]; ++at[0])
        for (at[1] = 0; at[1] < count[1]; ++at[1])
            for (at[2] = 0; at[2] < count[2]; ++at[2]) form.points.push_back(nodeAt(count, spacing, at));
    const auto node = [&](int x, int y, int z) { return numberOf(count, {x, y, z}); };
    if (dimension == 1)
        for (int x = 0; x + 1 < count[0]; ++x) form.segments.push_back({node(x, 0, 0), node(x + 1, 0, 0)});
    for (int x = 0; x + 1 < count[0] && dimension > 1; ++x)
        for (int y = 0; y + 1 < count[1]; ++y) {
            if (dimension == 2)
                addQuad(form, node(x, y, 0), node(x + 1, y, 0), node(x + 1, y + 1, 0), node(x, y + 1, 0));
            for (int z = 0; z + 1 < count[2] && dimension == 3; ++z) addCube(form, count, {x, y, z});
        }
    if (dimension == 3) facesFromCells(form);
    return form;
}

FlexForm flexShell(const std::string& type, int dimension, const Count& count, const Vec3& spacing)
{
    FlexForm form;
    std::map<int, int> numbers;
    const Vec3 half = 0.5 * Vec3(spacing.x() * (count[0] - 1), spacing.y() * (count[1] - 1),
                                 spacing.z() * (count[2] - 1));
    const auto node = [&](const Count& at) {
        const auto [known, isNew] =
            numbers.try_emplace(numberOf(count, at), static_cast<int>(form.points.size()));
        if (isNew)
            form.points.push_back(
                rounded(type, nodeAt(count, spacing, at).cwiseQuotient(half)).cwiseProduct(half));
        return known->second;
    };
    // Numbered as the nodes of the whole grid are.
    Count at;
    for (at[0] = 0; at[0] < count[0]; ++at[0])
        for (at[1] = 0; at[1] < count[1]; ++at[1])
            for (at[2] = 0; at[2] < count[2]; ++at[2])
                for (int k = 0; k < 3; ++k)
                    if (at[k] == 0 || at[k] == count[k] - 1) node(at);
    for (int k = 0; k < 3; ++k) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        for (int end : {0, count[k] - 1})
            for (int i = 0; i + 1 < count[u]; ++i)
                for (int j = 0; j + 1 < count[v]; ++j) {
                    Count corner;
                    corner[k] = end;
                    const auto number = [&](int a, int b) {
                        corner[u] = i + a;
                        corner[v] = j + b;
                        return node(corner);
                    };
                    const int a = number(0, 0), b = number(1, 0), c = number(1, 1), d = number(0, 1);
                    end > 0 ? addQuad(form, a, b, c, d) : addQuad(form, a, d, c, b);
                }
    }
    if (dimension == 3) fillFromMiddle(form);
    return form;
}

FlexForm flexDisc(const Count& count, const Vec3& spacing)
{
    FlexForm form = flexGrid(2, {count[0], count[1], 1}, spacing);
    const Vec3 half(0.5 * spacing.x() * (count[0] - 1), 0.5 * spacing.y() * (count[1] - 1), 1);
    for (Vec3& p : form.points)
        p = rounded("cylinder", Vec3(p.x() / half.x(), p.y() / half.y(), 0)).cwiseProduct(half);
    // The triangles at two of the corners lie along the rim.
    std::erase_if(form.faces, [&](const std::array<int, 3>& f) {
        const Vec3 &a = form.points[f[0]], &b = form.points[f[1]], &c = form.points[f[2]];
        const double longest =
            std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
        return (b - a).cross(c - a).norm() < 1e-6 * longest;
    });
    return form;
}

FlexForm flexCircle(int count, double spacing)
{
    FlexForm form;
    const double radius = 0.5 * spacing / std::sin(pi / count);
    for (int i = 0; i < count; ++i) {
        const Vec3 place = expRotation(Vec3(0, 0, 2 * pi * i / count)) * Vec3(radius, 0, 0);
        form.points.push_back(place);
        form.segments.push_back({i, (i + 1) % count});
    }
    return form;
}

void fillFromMiddle(FlexForm& form)
{
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : form.points) middle += p / static_cast<double>(form.points.size());
    const int center = static_cast<int>(form.points.size());
    form.points.push_back(middle);
    for (const auto& f : form.faces) form.cells.push_back({center, f[0], f[1], f[2]});
}

void facesFromCells(FlexForm& form)
{
    std::map<std::array<int, 3>, std::array<int, 3>> open;
    std::map<std::array<int, 3>, int> times;
    for (const auto& c : form.cells)
        for (const std::array<int, 3> face : {std::array<int, 3>{c[1], c[2], c[3]},
                                              {c[0], c[3], c[2]},
                                              {c[0], c[1], c[3]},
                                              {c[0], c[2], c[1]}}) {
            std::array<int, 3> key = face;
            std::sort(key.begin(), key.end());
            open[key] = face;
            ++times[key];
        }
    for (const auto& [key, face] : open)
        if (times[key] == 1) form.faces.push_back(face);
}

}  // namespace sinew::mjcf
