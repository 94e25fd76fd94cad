// A link in a matrix that need not be symmetric: Newton's matrix of an implicit step, or the plain inertia.
//
// World axes, and referred to the link's point O, as in recursion/link.h. What a link and all beyond it
// answer to a motion, a of O and α of the link, is
//
//     force at O      f = M a + P α + f₀
//     torque about O  n = G a + J α + n₀
//
// all of it any 3 × 3. A joint adds to the rows and columns of its own freedoms, with S δ its motion and
// α' the turn of its parent,
//
//     B δ + Sᵀ (f, n) + V α' = Q         columns n += C δ of the parent's and all that lies before
//
// B from springs, dampers and armatures, C and V from loads whose directions turn. Of a ball joint δ, B, C
// and V are in world axes; of others they are by freedoms, C and V a row for each.
#pragma once

#include "sinew/model/link.h"
#include "sinew/recursion/link.h"

namespace sinew::recursion {

template <class T>
SINEW_INLINE Matrix3<T> matrixFrom(const T (&A)[3][3])
{
    return {readVector(A[0]), readVector(A[1]), readVector(A[2])};
}

template <class T>
struct GeneralLink {
    static constexpr int most = 3;  // freedoms, but for free joints

    // Where it is and how it moves: general_placement.h.
    LinkKind kind = LinkKind::free;  // rigid if its motion is given
    bool hasBlocks = false;          // B, C and V count
    bool isSoft = false;             // B is not more than the inertia beyond the joint
    std::int8_t slides = 0;          // the first so many freedoms slide
    std::int8_t exchanged[6];        // of a free joint: where the rows of its factor were
    int parent = -1;
    int u = 0;         // where its freedoms start
    int freedoms = 0;  // none if its motion is given
    Matrix3<T> R;      // own axes → world
    Vector3<T> l;      // from the parent's O to this one
    Vector3<T> c;      // from O to the centre of mass
    // S: of a hinge angular[0] alone, of ball and free joints none.
    Vector3<T> linear[most], angular[most];

    // Set before factoring, and then the factors: increments.h.
    Matrix3<T> M, P, G, J;
    Matrix3<T> B, C, V;
    LuFactor3<T> factor;  // of D

    // Of the last solve.
    Vector3<T> f, n;  // what crosses the joint
    Vector3<T> y;     // D⁻¹ (Q − Sᵀ p); of a free joint S Q, with yTurning
    Vector3<T> yTurning;
    Vector3<T> a, alpha;

    // The k-th freedom turns the link about this, and moves O along that.
    SINEW_INLINE Vector3<T> turn(int k) const
    {
        return kind == LinkKind::ball ? columnOf(R, k) : angular[k];
    }
    SINEW_INLINE Vector3<T> slide(int k) const
    {
        return kind == LinkKind::other ? linear[k] : Vector3<T>::zero();
    }
    // The motion S δ of a joint that is not free: of O and of the link.
    SINEW_INLINE void addMotion(const T* delta, Vector3<T>& move, Vector3<T>& turned) const
    {
        switch (kind) {
            case LinkKind::ball:
                turned += R * readVector(delta);
                return;
            case LinkKind::hinge:
                turned += delta[0] * angular[0];
                return;
            default:
                for (int k = 0; k < freedoms; ++k) {
                    move += delta[k] * linear[k];
                    turned += delta[k] * angular[k];
                }
        }
    }
    // Sᵀ (f, n) of a joint that is not free.
    SINEW_INLINE void along(const Vector3<T>& force, const Vector3<T>& torque, T* result) const
    {
        switch (kind) {
            case LinkKind::ball:
                writeVector(transposeTimes(R, torque), result);
                return;
            case LinkKind::hinge:
                result[0] = dot(angular[0], torque);
                return;
            default:
                for (int k = 0; k < freedoms; ++k)
                    result[k] = dot(linear[k], force) + dot(angular[k], torque);
        }
    }
    // A rigid body's inertia, `turning` that about its centre of mass.
    SINEW_INLINE void setInertia(const T& mass, const Matrix3<T>& turning)
    {
        const Vector3<T> mc = mass * c;
        M = diagonal3(mass);
        G = crossMatrix(mc);
        P = crossMatrix(-mc);
        J = turning + diagonal3(dot(c, mc)) - product(c, mc);
    }
    // Adds a matrix that is referred to the centre of mass.
    SINEW_INLINE void add(const Matrix3<T>& m, const Matrix3<T>& p, const Matrix3<T>& g,
                          const Matrix3<T>& j)
    {
        const Matrix3<T> cm = crossTimes(c, m);
        M += m;
        P += p - timesCross(m, c);
        G += g + cm;
        J += j + crossTimes(c, p) - timesCross(g + cm, c);
    }
};

}  // namespace sinew::recursion
