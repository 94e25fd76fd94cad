// Meshes and words that the tests of shapes share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sinew/math/spatial.h"

namespace sinew {

using Face = std::array<int, 3>;

struct Mesh {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
};

inline Mesh boxMesh(const Vec3& size)
{
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.vertices.push_back(0.5 *
                                size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    mesh.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                  {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

// An octahedron, subdivided and pushed out to the unit sphere.
inline Mesh sphereMesh(int subdivisions)
{
    Mesh mesh{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
              {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    for (int level = 0; level < subdivisions; ++level) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [entry, isNew] =
                middles.emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
            if (isNew) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
            return entry->second;
        };
        std::vector<Face> finer;
        for (const auto& [a, b, c] : mesh.faces) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.faces = finer;
    }
    return mesh;
}

inline void expectSame(const Inertia& a, const Inertia& b, double relative)
{
    EXPECT_NEAR(a.mass, b.mass, relative * std::abs(b.mass));
    EXPECT_LT((a.center - b.center).norm(), relative * std::cbrt(b.mass) + relative * b.center.norm());
    EXPECT_LT((a.rotational - b.rotational).norm(), relative * b.rotational.norm());
}

inline void expectSays(const std::string& text, const std::vector<std::string>& parts)
{
    for (const std::string& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' should say '" << part << "'";
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace sinew
