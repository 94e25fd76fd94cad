// The joints as constraints C = 0 between two bodies that are bilinear in places and directors, for the
// steps that close them at the end: their gradients and how those turn with the bodies.
//
// Rows: point, e · (x_c − x_p) for world directions e; perpendicular, a · b for directors of parent and
// child; sliding, e · (x_c − x_p) for a director e of the parent.
// Where a joint lets nothing turn, its last three rows are perpendiculars and hold the orientation.
#pragma once

#include "sinew/model/joint.h"

namespace sinew {

struct Row {
    enum Kind { point, perpendicular, sliding } kind;
    Vec3 a;  // point: world direction; otherwise a director of the parent, parent axes
    Vec3 b;  // perpendicular: a director of the child, child axes
};

// joint.rows() of them, of a type that gives them.
void rowsOf(const Joint& joint, Row* rows);
// The row whose value is the coordinate of a slide.
Row slideCoordinate(const Joint& joint);

// Where a body is; the world by default.
struct Place {
    Vec3 p = Vec3::Zero();
    Mat3 R = Mat3::Identity();
};

inline Place placeOf(const BodyState& body)
{
    return {body.position, body.orientation.toRotationMatrix()};
}
// Of the body with that number, or the world (−1).
template <class Bodies>
Place placeIn(const Bodies& bodies, int body)
{
    return body < 0 ? Place{} : placeOf(bodies[body]);
}

// Per body: linear in world axes, angular in body axes.
struct PairGradient {
    double value = 0;
    Vec6 child, parent;
};
PairGradient rowGradient(const Row& row, const Joint& joint, const Place& child, const Place& parent);

// Blocks of a pair, [row][column], 0 the child and 1 the parent.
struct PairMatrix {
    Mat6 block[2][2];
    void setZero()
    {
        for (auto& row : block)
            for (Mat6& b : row) b.setZero();
    }
};
// Adds weight times the derivative of the gradient.
void addRowCurvature(const Row& row, const Joint& joint, const Place& child, const Place& parent,
                     double weight, PairMatrix& matrix);

}  // namespace sinew
