// Problems of contact between free bodies, written down without a scene: boxes and random inertias.
#pragma once

#include <vector>

#include "sinew/contact/solve.h"
#include "sinew/math/dense_solve.h"

namespace sinew::testing_support {

struct ContactProblem {
    std::vector<MatX> inertias;  // per unit
    struct Row {
        int unitA, unitB;
        MatX JA, JB;  // 3 × freedoms; of a side without unit, empty
    };
    std::vector<Row> rows;
    std::vector<ConstraintBlock> blocks;

    void add(int unitA, const MatX& JA, int unitB, const MatX& JB, const ConstraintBlock& block)
    {
        rows.push_back({unitA, unitB, JA, JB});
        blocks.push_back(block);
    }

    Delassus delassus() const
    {
        std::vector<int> freedoms;
        std::vector<MatX> inverses;
        for (const MatX& H : inertias) {
            freedoms.push_back(static_cast<int>(H.rows()));
            inverses.push_back(inverseDense(H));
        }
        Delassus W;
        W.clear(freedoms);
        for (const Row& row : rows) W.add(row.unitA, row.unitB);
        for (int c = 0; c < W.size(); ++c)
            for (int s = 0; s < 2; ++s) {
                const int unit = s ? rows[c].unitB : rows[c].unitA;
                if (unit < 0) continue;
                const MatX& J = s ? rows[c].JB : rows[c].JA;
                const MatX Y = J * inverses[unit];
                for (int r = 0; r < 3; ++r)
                    for (int k = 0; k < J.cols(); ++k) {
                        W.jacobian(c, s)[r * J.cols() + k] = J(r, k);
                        W.response(c, s)[r * J.cols() + k] = Y(r, k);
                    }
            }
        W.finish();
        return W;
    }

    // W as a whole, 3 rows a block, without compliance.
    MatX matrix() const
    {
        const Delassus delassusOf = delassus();
        const int n = delassusOf.size();
        MatX W(3 * n, 3 * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) W.block<3, 3>(3 * i, 3 * j) = delassusOf.coupling(i, j);
        return W;
    }
};

// Freedoms of a free body: displacement, then turn about its centre, both along the world's axes.
inline MatX pointJacobian(const Vec3& arm, const Mat3& axes)
{
    MatX J(3, 6);
    J << axes, -axes * tilde(arm);
    return J;
}

// Unit boxes of 1 kg and side 1 on a plane, z up, touching face to face in four points each.
struct BoxPile {
    static constexpr double gravity = 9.81;
    double friction = 0.5, timeStep = 1.0 / 60;
    std::vector<Vec3> centers;
    ContactProblem problem;

    void addBox(const Vec3& center)
    {
        MatX H = MatX::Identity(6, 6);
        H.bottomRightCorner<3, 3>() *= 1.0 / 6;
        centers.push_back(center);
        problem.inertias.push_back(H);
    }
    // The corners of the overlap of a box's bottom with the top of another (−1: the ground).
    void addContacts(int upper, int lower)
    {
        const Vec3 a = centers[upper], b = lower < 0 ? Vec3(a - Vec3::UnitZ()) : centers[lower];
        Mat3 axes;
        axes << 0, 0, 1, 1, 0, 0, 0, 1, 0;
        ConstraintBlock block;
        block.friction = friction;
        if (lower < 0) block.offset[0] = -gravity * timeStep * timeStep;
        for (int corner = 0; corner < 4; ++corner) {
            Vec3 p = a - 0.5 * Vec3::UnitZ();
            for (int axis = 0; axis < 2; ++axis)
                p[axis] = corner >> axis & 1 ? std::min(a[axis], b[axis]) + 0.5
                                             : std::max(a[axis], b[axis]) - 0.5;
            problem.add(upper, pointJacobian(p - a, axes), lower,
                        lower < 0 ? MatX() : MatX(-pointJacobian(p - b, axes)), block);
        }
    }
};

inline BoxPile boxStack(int height)
{
    BoxPile pile;
    for (int i = 0; i < height; ++i) {
        pile.addBox({0, 0, 0.5 + i});
        pile.addContacts(i, i - 1);
    }
    return pile;
}

// Rows of decreasing length, each box on the middle of two; or a wall, with every row as long.
inline BoxPile boxRows(int longest, int height, bool wall)
{
    BoxPile pile;
    std::vector<int> below, row;
    for (int level = 0; level < height; ++level) {
        row.clear();
        for (int i = 0; i < (wall ? longest : longest - level); ++i) {
            row.push_back(static_cast<int>(pile.centers.size()));
            pile.addBox({wall ? i + 0.5 * (level % 2) : i + 0.5 * level, 0, 0.5 + level});
            if (level == 0) pile.addContacts(row.back(), -1);
            for (int other : below)
                if (std::abs(pile.centers[other].x() - pile.centers[row.back()].x()) < 0.75)
                    pile.addContacts(row.back(), other);
        }
        below = row;
    }
    return pile;
}

}  // namespace sinew::testing_support
