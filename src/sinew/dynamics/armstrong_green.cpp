// Armstrong & Green 1985, "The dynamics of articulated rigid bodies for purposes of animation": the first
// linear-time dynamics of figures, equations (1)–(31).
//
// Idea: a push a at the proximal hinge of a link makes it turn by ω̇ = K a + d (7) and pull on its parent
// with f = M a + f' (8). K, d, M, f' follow from the sons inward; a and ω̇ outward. What depends on poses
// and angular velocities alone is the slow band (15)–(22), the rest the fast one (23)–(31).
//
//     paper        code               frame
//     R^r, R_I     R, R_I             link → parent, link → inertial
//     a^r, ω̇^r     a, w_dot           link; a is the proximal hinge's acceleration
//     c^r, l^s     c, l               link (hinge → centre of mass); parent (hinge → hinge)
//     J^r          J                  link, about the proximal hinge
//     f^r, g^r     f, g               link; what it exerts on its parent
//     f_E, g_E     forces.body        moved from the centre of mass to the proximal hinge, with gravity
//
// (9)–(14) are garbled in the recovered text; the forms below are the paper's, checked against the oracle.
// Two things are arranged otherwise than printed, to make the fast band short:
//   - With A = Σ l~ Q − m c~, Q and T symmetric: K = T A, the factor of d in (25) is Aᵀ, and Aᵀ T = Kᵀ. So
//     M = Aᵀ K − m 1 + Σ Q (20) and f' = force + Kᵀ torque (25); Q is not needed any more.
//   - Q a_c is as slow as its factors: its force and torque are added to the parent's (21), (22).
// Outer forces, gravity among them, are in the fast band, turned into the link by its present orientation.
// The paper has them in (21), (22), "assuming [they are] slowly-varying"; but in a link that swings not
// even gravity is.
//
// Joints: spherical inside; root free (its hinge is its centre of mass) or pinned, where a = 0 replaces
// (27). Cost O(n): two passes. Joints hold by construction; energy and momentum drift with the step.
#include "sinew/dynamics/armstrong_green.h"

#include "sinew/dynamics/solvers.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// Whether the link is carried by another, rather than by the world or by nothing.
bool isCarried(const Joint& joint)
{
    return joint.parent >= 0 && joint.isBall();
}

// From the proximal hinge of the parent to that of the link.
Vec3 hingeToHinge(const Model& model, const Joint& joint)
{
    return joint.anchorParent + hingeToCenter(model.joints[joint.parent]);
}

// The slow band of a link whose sons have all reported.
void eliminate(const Body& body, const Vec3& c, const Vec3& w, const SlowSons& sons, SlowLink& link)
{
    const double m = body.mass;
    const Mat3 c_tilde = tilde(c);
    const Mat3 J = body.inertia - m * c_tilde * c_tilde;
    link.T = (J + sons.W_l).inverse();               // AG (18)
    const Mat3 A = sons.W - m * c_tilde;             //
    link.K = link.T * A;                             // AG (19)
    link.M = A.transpose() * link.K + sons.Q;        // AG (20)
    link.M.diagonal().array() -= m;                  //
    link.g = -w.cross(J * w) + sons.torque;          // AG (21)
    link.f = -w.cross(w.cross(m * c)) + sons.force;  // AG (22)
}

// What link s adds to the slow band of its parent, whose angular velocity is w.
void report(const Vec3& l, const Vec3& w, SlowLink& son, SlowSons& sums)
{
    son.a_c = w.cross(w.cross(l));                     // AG (15)
    const Mat3 Q = son.R * son.M * son.R.transpose();  // AG (16)
    const Mat3 l_tilde = tilde(l), W = l_tilde * Q;    // AG (17)
    const Vec3 push = Q * son.a_c;
    sums.W_l += W * l_tilde;
    sums.W += W;
    sums.Q += Q;
    sums.force += push;
    sums.torque += l.cross(push);
}

// Into the axes of the link as it is now, however old its slow band.
void addOuterForce(const Force& outer, const Vec3& c, const Quat& orientation, FastLink& link)
{
    const Vec3 f = orientation.conjugate() * outer.force;
    link.force += f;
    link.torque += orientation.conjugate() * outer.torque + c.cross(f);
}

// A joint force of a free joint is an external one, on the child and back on the parent.
void addFreeForces(const Model& model, const State& state, const Forces& forces, int r,
                   LargeVector<FastLink>& fast)
{
    const Joint& joint = model.joints[r];
    const Force own = jointForceOnChild(model, state, r, forces.joint.data() + joint.u);
    const auto add = [&](int body, const Force& f) {
        addOuterForce(f, hingeToCenter(model.joints[body]), state.bodies[body].orientation, fast[body]);
    };
    add(r, own);
    if (joint.parent >= 0) add(joint.parent, -atParentCenter(model, state, r, own));
}

}  // namespace

void armstrongGreenSlowBand(const Model& model, const State& state, LargeVector<SlowLink>& slow,
                            LargeVector<SlowSons>& sons)
{
    const int n = model.size();
    sons.resize(n);
    for (int r = 0; r < n; ++r) {
        prefetch(slow, r + passAhead);
        if (slow[r].age != 0) continue;
        slow[r].R_I = state.bodies[r].orientation.toRotationMatrix();
        sons[r] = {};
    }
    for (int r = n - 1; r >= 0; --r) {
        prefetch(slow, r - passAhead);
        const Joint& joint = model.joints[r];
        SlowLink& link = slow[r];
        if (link.age == 0)
            eliminate(model.bodies[r], hingeToCenter(joint), state.bodies[r].angularVelocity, sons[r],
                      link);
        if (!isCarried(joint)) continue;
        const SlowLink& parent = slow[joint.parent];
        if (link.age != 0 && parent.age != 0) continue;
        link.R = parent.R_I.transpose() * link.R_I;  // AG (36)
        if (parent.age == 0)
            report(hingeToHinge(model, joint), state.bodies[joint.parent].angularVelocity, link,
                   sons[joint.parent]);
    }
}

void armstrongGreenFastBand(const Model& model, const State& state, const Forces& forces,
                            const LargeVector<SlowLink>& slow, LargeVector<FastLink>& fast)
{
    const int n = model.size();
    fast.resize(n);
    for (int r = 0; r < n; ++r) {
        const Joint& joint = model.joints[r];
        FastLink& link = fast[r];
        // The torque on the parent; Q is on the child, in the child's axes.
        link.g.setZero();
        if (joint.isBall()) link.g = -forces.joint.segment<3>(joint.u);
        link.torque = slow[r].g - link.g;
        link.force = slow[r].f;
        addOuterForce(forces.body[r], hingeToCenter(joint), state.bodies[r].orientation, link);
    }
    for (int r = 0; r < n; ++r)
        if (model.joints[r].isFree()) addFreeForces(model, state, forces, r, fast);

    // Inbound.
    for (int r = n - 1; r >= 0; --r) {
        prefetch(slow, r - passAhead);
        const Joint& joint = model.joints[r];
        FastLink& link = fast[r];
        link.d = slow[r].T * link.torque;                                 // AG (24)
        link.f_prime = link.force + slow[r].K.transpose() * link.torque;  // AG (25)
        if (!isCarried(joint)) continue;
        FastLink& parent = fast[joint.parent];
        const Vec3 f_second = slow[r].R * link.f_prime;  // AG (26)
        parent.force += f_second;
        parent.torque += slow[r].R * link.g + hingeToHinge(model, joint).cross(f_second);  // AG (23)
    }

    // Outbound.
    for (int r = 0; r < n; ++r) {
        prefetch(slow, r + passAhead);
        const Joint& joint = model.joints[r];
        FastLink& link = fast[r];
        if (joint.isFree()) {
            link.a = -slow[r].M.inverse() * link.f_prime;  // AG (27)
        } else if (joint.parent < 0) {
            link.a.setZero();  // pinned
        } else {
            const FastLink& p = fast[joint.parent];
            link.a = slow[r].R.transpose() *
                     (slow[r].a_c + p.a - hingeToHinge(model, joint).cross(p.w_dot));  // AG (29)
        }
        link.w_dot = slow[r].K * link.a + link.d;  // AG (28), (30)
    }
}

namespace {

void accelerateByArmstrongGreen(const Model& model, const State& state, const Forces& forces, Work& work,
                                Accelerations& accelerations)
{
    const int n = model.size();
    work.slow.resize(n);  // of age zero: all are due
    armstrongGreenSlowBand(model, state, work.slow, work.slowSons);
    armstrongGreenFastBand(model, state, forces, work.slow, work.fast);
    for (int r = 0; r < n; ++r) {
        const Joint& joint = model.joints[r];
        const SlowLink& slow = work.slow[r];
        const FastLink& link = work.fast[r];
        const Vec3 c = hingeToCenter(joint);
        const Vec3& w = state.bodies[r].angularVelocity;
        accelerations.body[r] = {slow.R_I * (link.a + link.w_dot.cross(c) + w.cross(w.cross(c))),
                                 slow.R_I * link.w_dot};
        if (accelerations.wanted != Accelerations::Wanted::everything) continue;
        Force onChild;
        if (joint.isFree()) {
            onChild = jointForceOnChild(model, state, r, forces.joint.data() + joint.u);
        } else {
            const Vec3 f = slow.M * link.a + link.f_prime;  // AG (31)
            onChild = Force{-(slow.R_I * f), -(slow.R_I * link.g)}.at(slow.R_I * c);
        }
        accelerations.load[r] = loadOnFirst(model, state, r, onChild);
    }
    jointAccelerationsFromBodies(model, state, accelerations);
}

}  // namespace

void accelerateArmstrongGreen(const Model& model, const State& state, const Forces& forces, Work& work,
                              Accelerations& accelerations)
{
    if (model.loops.empty())
        accelerateByArmstrongGreen(model, state, forces, work, accelerations);
    else
        accelerateWithLoops(accelerateByArmstrongGreen, model, state, forces, work, accelerations);
}

}  // namespace sinew
