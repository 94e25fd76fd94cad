// The polyhedron tests (geometry/polyhedron.h) held against the distance (geometry/distance.h), which know
// nothing of each other.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "sinew/geometry/distance.h"
#include "sinew/geometry/polyhedron.h"
#include "support/convex_pairs.h"

namespace sinew {

inline void expectAgreement(int pairs, int mostVertices, std::uint64_t seed)
{
    constexpr double nearTouch = 1e-9;  // nearer than this either answer is right
    Random random(seed);
    DistanceWork work;
    PolyhedronWork polyhedronWork;
    int meeting = 0, compared = 0, disagreements = 0, leftOut = 0;
    int decided[3] = {0, 0, 0};
    while (compared < pairs) {
        const ConvexMesh a = randomHull(random, mostVertices), b = randomHull(random, mostVertices);
        const Pose poseA = randomPose(random, 1);
        Pose poseB = randomPose(random, random.uniform(0.2, 1.4));
        poseB.position += poseA.position;
        const Proximity proximity = distance(a, poseA, b, poseB, work);
        if (std::abs(proximity.distance) < nearTouch) {
            ++leftOut;
            continue;
        }
        Polyhedron p = makePolyhedron(a.vertices, a.faces).value();
        Polyhedron q = makePolyhedron(b.vertices, b.faces).value();
        // Every other pair by ray parity, as if it were dented.
        if (compared % 2) p.isConvex = q.isConvex = false;
        const PolyhedronVerdict verdict = polyhedraMeet(p, poseA, q, poseB, polyhedronWork);
        ++decided[static_cast<int>(verdict.decidedBy)];
        disagreements += verdict.meet != (proximity.distance < 0);
        meeting += verdict.meet;
        ++compared;
    }
    EXPECT_EQ(disagreements, 0);
    EXPECT_GT(meeting, 3 * pairs / 10);
    EXPECT_LT(meeting, 7 * pairs / 10);
    std::printf("%d pairs, %d meet, %d left out as touching; decided by boxes %d, vertices %d, edges %d\n",
                pairs, meeting, leftOut, decided[0], decided[1], decided[2]);
}

}  // namespace sinew
