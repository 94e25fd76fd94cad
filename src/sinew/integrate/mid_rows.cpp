#include "sinew/integrate/mid_rows.h"

namespace sinew {

MidRows::MidRows(const Joint& joint, const Joint& before, const BodySpan& child, const BodySpan& parent,
                 double h)
    : C(child), P(parent), h_(h), count_(joint.rows())
{
    rowsOf(joint, rows_);
    rowsOf(before, rowsBefore_);
    lC = C.R1 * joint.anchorChild;
    lP = P.R1 * joint.anchorParent;
    const Vec3 lP0 = P.R0 * before.anchorParent;
    rC = C.mid(joint.anchorChild);
    rP = 0.5 * (lP0 + lP);
    x1 = C.p1 + lC - P.p1 - lP;
    const Vec3 x0 = C.p0 + C.R0 * joint.anchorChild - P.p0 - lP0;
    xm = 0.5 * (x0 + x1);
    dC = -0.5 * tilde(lC) * C.B;
    dP = -0.5 * tilde(lP) * P.B;
}

MidRow MidRows::row(int k) const
{
    return rows_[k].kind == Row::perpendicular ? perpendicular(k) : point(k);
}

MidRow MidRows::perpendicular(int k) const
{
    const Row& row = rows_[k];
    MidRow r;
    const Vec3 a1 = P.R1 * row.a, b1 = C.R1 * row.b, b = C.mid(row.b);
    const Vec3 a = 0.5 * (P.R0 * rowsBefore_[k].a + a1);
    const Mat3 da = -0.5 * tilde(a1) * P.B, db = -0.5 * tilde(b1) * C.B;
    r.onC.tail<3>() = b.cross(a);
    r.onP.tail<3>() = a.cross(b);
    r.CC.bottomRightCorner<3, 3>() = -tilde(a) * db;
    r.CP.bottomRightCorner<3, 3>() = tilde(b) * da;
    r.PC = -r.CC;
    r.PP = -r.CP;
    r.endC.tail<3>() = C.B.transpose() * b1.cross(a1) / h_;
    r.endP.tail<3>() = P.B.transpose() * a1.cross(b1) / h_;
    r.violation = a1.dot(b1);
    return r;
}

MidRow MidRows::point(int k) const
{
    const Row& row = rows_[k];
    MidRow r;
    const bool slides = row.kind == Row::sliding;
    const Vec3 e = slides ? P.mid(row.a) : row.a, e1 = slides ? Vec3(P.R1 * row.a) : row.a;
    r.onC << e, rC.cross(e);
    r.onP << -e, -rP.cross(e);
    r.CC.bottomRightCorner<3, 3>() = -tilde(e) * dC;
    r.PP.bottomRightCorner<3, 3>() = tilde(e) * dP;
    r.endC << e1, C.B.transpose() * lC.cross(e1) / h_;
    r.endP << -e1, -(P.B.transpose() * lP.cross(e1)) / h_;
    r.violation = e1.dot(x1);
    if (slides) {
        const Mat3 de = -0.5 * tilde(e1) * P.B;
        r.onP.tail<3>() += e.cross(xm);
        r.CP.topRightCorner<3, 3>() = de;
        r.CP.bottomRightCorner<3, 3>() = tilde(rC) * de;
        r.PP.topRightCorner<3, 3>() = -de;
        r.PP.bottomRightCorner<3, 3>() += -tilde(rP) * de - tilde(xm) * de - tilde(e) * dP;
        r.PP.bottomLeftCorner<3, 3>() = -0.5 * h_ * tilde(e);
        r.PC.bottomLeftCorner<3, 3>() = 0.5 * h_ * tilde(e);
        r.PC.bottomRightCorner<3, 3>() = tilde(e) * dC;
        r.endP.tail<3>() += P.B.transpose() * e1.cross(x1) / h_;
    }
    return r;
}

}  // namespace sinew
