#include "sinew/model/rows.h"

#include "sinew/math/rotation.h"

namespace sinew {

void rowsOf(const Joint& joint, Row* rows)
{
    joint.info().rows(joint, rows);
    for (int k = 0; k < joint.rows(); ++k)
        if (rows[k].kind != Row::point) rows[k].a = (joint.R_PC_rest * rows[k].a).eval();
}

Row slideCoordinate(const Joint& joint)
{
    return {Row::sliding, joint.R_PC_rest * joint.axis, Vec3::Zero()};
}

PairGradient rowGradient(const Row& row, const Joint& joint, const Place& C, const Place& P)
{
    PairGradient g;
    if (row.kind == Row::perpendicular) {
        const Vec3 a = P.R * row.a, b = C.R * row.b;
        g.value = a.dot(b);
        g.child << 0, 0, 0, row.b.cross(C.R.transpose() * a);
        g.parent << 0, 0, 0, row.a.cross(P.R.transpose() * b);
        return g;
    }
    const Vec3 &lC = joint.anchorChild, &lP = joint.anchorParent;
    const Vec3 fromParent = C.p + C.R * lC - P.p;  // to the child's anchor
    const bool slides = row.kind == Row::sliding;
    const Vec3 e = slides ? Vec3(P.R * row.a) : row.a;
    g.value = e.dot(fromParent - P.R * lP);
    g.child << e, lC.cross(C.R.transpose() * e);
    g.parent << -e,
        slides ? row.a.cross(P.R.transpose() * fromParent) : Vec3(-lP.cross(P.R.transpose() * e));
    return g;
}

void addRowCurvature(const Row& row, const Joint& joint, const Place& C, const Place& P, double weight,
                     PairMatrix& matrix)
{
    const auto turning = [&](int r, int c) { return matrix.block[r][c].bottomRightCorner<3, 3>(); };
    const Mat3 X = C.R.transpose() * P.R;  // parent axes → child axes
    if (row.kind == Row::perpendicular) {
        const Mat3 a = tilde(row.a), b = tilde(row.b);
        turning(0, 0) += weight * b * tilde(X * row.a);
        turning(0, 1) -= weight * b * X * a;
        turning(1, 0) -= weight * a * X.transpose() * b;
        turning(1, 1) += weight * a * tilde(X.transpose() * row.b);
        return;
    }
    const Mat3 lC = tilde(joint.anchorChild);
    if (row.kind == Row::point) {
        turning(0, 0) += weight * lC * tilde(C.R.transpose() * row.a);
        turning(1, 1) -= weight * tilde(joint.anchorParent) * tilde(P.R.transpose() * row.a);
        return;
    }
    const Mat3 a = tilde(row.a);
    const Vec3 fromParent = P.R.transpose() * (C.p + C.R * joint.anchorChild - P.p);
    const Mat3 directorTurns = weight * P.R * a;
    matrix.block[0][1].topRightCorner<3, 3>() -= directorTurns;
    matrix.block[1][1].topRightCorner<3, 3>() += directorTurns;
    matrix.block[1][0].bottomLeftCorner<3, 3>() -= directorTurns.transpose();
    matrix.block[1][1].bottomLeftCorner<3, 3>() += directorTurns.transpose();
    turning(0, 0) += weight * lC * tilde(X * row.a);
    turning(0, 1) -= weight * lC * X * a;
    turning(1, 0) -= weight * a * X.transpose() * lC;
    turning(1, 1) += weight * a * tilde(fromParent);
}

}  // namespace sinew
