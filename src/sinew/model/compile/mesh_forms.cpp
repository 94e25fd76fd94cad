#include "sinew/model/compile/mesh_forms.h"

#include <cmath>
#include <map>

namespace sinew::compiling {

// Squares are cut along diagonals that alternate, so that the cloth is the same in a mirror; both diagonals
// have springs.
MeshForm clothForm(double width, double depth, int columns, int rows)
{
    MeshForm form;
    const auto at = [&](int i, int k) { return k * (columns + 1) + i; };
    for (int k = 0; k <= rows; ++k)
        for (int i = 0; i <= columns; ++i)
            form.vertices.push_back(
                Vec3(width * (i / double(columns) - 0.5), 0, depth * (k / double(rows) - 0.5)));
    for (int k = 0; k <= rows; ++k)
        for (int i = 0; i <= columns; ++i) {
            if (i < columns) form.edges.push_back({at(i, k), at(i + 1, k)});
            if (k < rows) form.edges.push_back({at(i, k), at(i, k + 1)});
            if (i + 2 <= columns) form.bends.push_back({at(i, k), at(i + 2, k)});
            if (k + 2 <= rows) form.bends.push_back({at(i, k), at(i, k + 2)});
            if (i == columns || k == rows) continue;
            const int a = at(i, k), b = at(i + 1, k), c = at(i + 1, k + 1), d = at(i, k + 1);
            form.diagonals.push_back({a, c});
            form.diagonals.push_back({b, d});
            if ((i + k) % 2 == 0) {
                form.faces.push_back({a, d, c});
                form.faces.push_back({a, c, b});
            } else {
                form.faces.push_back({a, d, b});
                form.faces.push_back({b, d, c});
            }
        }
    return form;
}

MeshForm ballForm(double diameter, int divisions)
{
    MeshForm form;
    const double g = 0.5 * (1 + std::sqrt(5.0));
    for (int axis = 0; axis < 3; ++axis)
        for (int sign = 0; sign < 4; ++sign) {
            Vec3 v = Vec3::Zero();
            v[axis] = sign & 1 ? 1 : -1;
            v[(axis + 1) % 3] = sign & 2 ? g : -g;
            form.vertices.push_back(v);
        }
    // Faces of the icosahedron: all triples of vertices that are two apart, counter-clockwise from outside.
    const auto near = [&](int i, int j) {
        return std::fabs((form.vertices[i] - form.vertices[j]).norm() - 2) < 1e-9;
    };
    for (int i = 0; i < 12; ++i)
        for (int j = i + 1; j < 12; ++j)
            for (int k = j + 1; k < 12; ++k) {
                if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
                const Vec3 &a = form.vertices[i], &b = form.vertices[j], &c = form.vertices[k];
                const bool outward = (b - a).cross(c - a).dot(a) > 0;
                form.faces.push_back(outward ? std::array{i, j, k} : std::array{i, k, j});
            }
    for (int division = 0; division < divisions; ++division) {
        std::map<std::array<int, 2>, int> middles;
        const auto middle = [&](int i, int j) {
            const auto [place, isNew] = middles.emplace(std::array{std::min(i, j), std::max(i, j)},
                                                        static_cast<int>(form.vertices.size()));
            if (isNew) form.vertices.push_back(form.vertices[i] + form.vertices[j]);
            return place->second;
        };
        std::vector<std::array<int, 3>> finer;
        for (Vec3& v : form.vertices) v.normalize();
        for (const auto& [a, b, c] : form.faces) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            for (const std::array<int, 3>& face : {std::array{a, ab, ca}, std::array{b, bc, ab},
                                                   std::array{c, ca, bc}, std::array{ab, bc, ca}})
                finer.push_back(face);
        }
        form.faces = std::move(finer);
    }
    for (Vec3& v : form.vertices) v *= 0.5 * diameter / v.norm();
    return form;
}

MeshForm beamForm(const Vec3& size, const std::array<int, 3>& cells)
{
    MeshForm form;
    const int nx = cells[0], ny = cells[1], nz = cells[2];
    const auto at = [nx, ny](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i) {
                form.vertices.push_back(Vec3(size.x() * (i / double(nx) - 0.5),
                                             size.y() * (j / double(ny) - 0.5),
                                             size.z() * (k / double(nz) - 0.5)));
                // A cell gives an eighth of its mass to each of its corners.
                const auto weight = [](int place, int last) {
                    return place == 0 || place == last ? 1.0 : 2.0;
                };
                form.shares.push_back(weight(i, nx) * weight(j, ny) * weight(k, nz));
            }
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i) {
                const bool x = i < nx, y = j < ny, z = k < nz;
                if (x) form.edges.push_back({at(i, j, k), at(i + 1, j, k)});
                if (y) form.edges.push_back({at(i, j, k), at(i, j + 1, k)});
                if (z) form.edges.push_back({at(i, j, k), at(i, j, k + 1)});
                if (i + 2 <= nx) form.bends.push_back({at(i, j, k), at(i + 2, j, k)});
                if (j + 2 <= ny) form.bends.push_back({at(i, j, k), at(i, j + 2, k)});
                if (k + 2 <= nz) form.bends.push_back({at(i, j, k), at(i, j, k + 2)});
                const auto cross = [&](int a, int b, int c, int d) {
                    form.diagonals.push_back({a, b});
                    form.diagonals.push_back({c, d});
                };
                if (x && y) cross(at(i, j, k), at(i + 1, j + 1, k), at(i + 1, j, k), at(i, j + 1, k));
                if (y && z) cross(at(i, j, k), at(i, j + 1, k + 1), at(i, j + 1, k), at(i, j, k + 1));
                if (x && z) cross(at(i, j, k), at(i + 1, j, k + 1), at(i + 1, j, k), at(i, j, k + 1));
                if (!(x && y && z)) continue;
                cross(at(i, j, k), at(i + 1, j + 1, k + 1), at(i + 1, j, k), at(i, j + 1, k + 1));
                cross(at(i, j + 1, k), at(i + 1, j, k + 1), at(i, j, k + 1), at(i + 1, j + 1, k));
            }
    // The surface: a, b, c, d of a square counter-clockwise from outside.
    const auto square = [&](int a, int b, int c, int d, bool flip) {
        if (flip) std::swap(b, d);
        form.faces.push_back({a, b, c});
        form.faces.push_back({a, c, d});
    };
    for (int side = 0; side < 2; ++side) {
        const int X = side * nx, Y = side * ny, Z = side * nz;
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < ny; ++j)
                square(at(X, j, k), at(X, j + 1, k), at(X, j + 1, k + 1), at(X, j, k + 1), side == 0);
        for (int k = 0; k < nz; ++k)
            for (int i = 0; i < nx; ++i)
                square(at(i, Y, k), at(i, Y, k + 1), at(i + 1, Y, k + 1), at(i + 1, Y, k), side == 0);
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                square(at(i, j, Z), at(i + 1, j, Z), at(i + 1, j + 1, Z), at(i, j + 1, Z), side == 0);
    }
    return form;
}

}  // namespace sinew::compiling
