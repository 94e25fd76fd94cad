// Armstrong & Green 1985, "The dynamics of articulated rigid bodies for purposes of animation": the first
// linear-time dynamics of figures, equations (1)–(31).
//
// Idea: a push a at the proximal hinge of a link makes it turn by ω̇ = K a + d (7) and pull on its parent
// with f = M a + f' (8). K, d, M, f' follow from the sons inward; a and ω̇ outward.
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
// Joints: spherical inside; root free (its hinge is its centre of mass) or pinned, where a = 0 replaces
// (27). Cost O(n): two passes. Joints hold by construction; energy and momentum drift with the step.
#include <Eigen/LU>

#include "sinew/dynamics/solvers.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// Constants of the link and what its own state says: (21), (22), without the sons.
void prepare(const Model& model, const State& state, const Forces& forces, int r, ArmstrongGreenLink& link)
{
    const Joint& joint = model.joints[r];
    const Body& body = model.bodies[r];
    const BodyState& s = state.bodies[r];
    const bool pivots = joint.type == JointType::spherical;

    link.R_I = s.orientation.toRotationMatrix();
    link.c = pivots ? Vec3(-joint.anchorChild) : Vec3::Zero();
    link.J = body.inertia - body.mass * tilde(link.c) * tilde(link.c);
    // The torque on the parent; Q is on the child, in the child's axes.
    link.g = pivots ? Vec3(-forces.joint.segment<3>(joint.u)) : Vec3::Zero();

    const Vec3& w = s.angularVelocity;
    const Vec3 f = link.R_I.transpose() * forces.body[r].force;
    link.g_sum = -w.cross(link.J * w) + link.R_I.transpose() * forces.body[r].torque + link.c.cross(f);
    link.f_sum = -w.cross(w.cross(body.mass * link.c)) + f;
    link.sonsW_l.setZero();
    link.sonsW.setZero();
    link.sonsQ.setZero();
    link.sonsQl.setZero();
    link.sonsTorque.setZero();
    link.sonsForce.setZero();
}

// A joint force of a free joint is an external one, on the child and back on the parent.
void addFreeForces(const Model& model, const State& state, const Forces& forces, int r,
                   LargeVector<ArmstrongGreenLink>& links)
{
    const Joint& joint = model.joints[r];
    if (joint.type != JointType::free) return;
    const Force own = jointForceOnChild(model, state, r, forces.joint.data() + joint.u);
    const auto add = [&](int body, const Force& f) {
        ArmstrongGreenLink& link = links[body];
        const Vec3 force = link.R_I.transpose() * f.force;
        link.f_sum += force;
        link.g_sum += link.R_I.transpose() * f.torque + link.c.cross(force);
    };
    add(r, own);
    if (joint.parent >= 0) add(joint.parent, -atParentCenter(model, state, r, own));
}

// Recursive coefficients of link r, whose sons have all reported: (18)–(20), (23)–(25).
void eliminate(double m, ArmstrongGreenLink& link)
{
    link.T = (link.J + link.sonsW_l).inverse();                 // AG (18)
    link.K = link.T * (link.sonsW - m * tilde(link.c));         // AG (19)
    link.M = m * tilde(link.c) * link.K - m * Mat3::Identity()  //
             + link.sonsQ - link.sonsQl * link.K;               // AG (20)
    link.d = link.T * (link.g_sum - link.g + link.sonsTorque);  // AG (23), (24)
    link.f_prime =
        link.f_sum + m * link.c.cross(link.d) + link.sonsForce - link.sonsQl * link.d;  // AG (25)
}

// What link s contributes to its parent r: (15)–(17), (26).
void report(const Model& model, const State& state, int s, ArmstrongGreenLink& son,
            ArmstrongGreenLink& parent)
{
    const Joint& joint = model.joints[s];
    const Vec3& w = state.bodies[joint.parent].angularVelocity;
    son.R = parent.R_I.transpose() * son.R_I;
    son.l = joint.anchorParent + parent.c;      // from hinge to hinge
    son.a_c = w.cross(w.cross(son.l));          // AG (15)
    son.Q = son.R * son.M * son.R.transpose();  // AG (16)
    const Mat3 W = tilde(son.l) * son.Q;        // AG (17)
    son.f_second = son.R * son.f_prime;         // AG (26)
    const Vec3 push = son.f_second + son.Q * son.a_c;
    parent.sonsW_l += W * tilde(son.l);
    parent.sonsW += W;
    parent.sonsQ += son.Q;
    parent.sonsQl += son.Q * tilde(son.l);
    parent.sonsTorque += son.R * son.g + son.l.cross(push);
    parent.sonsForce += push;
}

}  // namespace

void accelerateArmstrongGreen(const Model& model, const State& state, const Forces& forces, Work& work,
                              Accelerations& accelerations)
{
    const int n = model.size();
    LargeVector<ArmstrongGreenLink>& links = work.armstrongGreen;
    links.resize(n);
    for (int r = 0; r < n; ++r) {
        prefetch(links, r + passAhead);
        prepare(model, state, forces, r, links[r]);
    }
    for (int r = 0; r < n; ++r) addFreeForces(model, state, forces, r, links);

    // Inbound.
    for (int r = n - 1; r >= 0; --r) {
        prefetch(links, r - passAhead);
        const Joint& joint = model.joints[r];
        eliminate(model.bodies[r].mass, links[r]);
        if (joint.parent >= 0 && joint.type == JointType::spherical)
            report(model, state, r, links[r], links[joint.parent]);
    }

    // Outbound.
    for (int r = 0; r < n; ++r) {
        prefetch(links, r + passAhead);
        const Joint& joint = model.joints[r];
        ArmstrongGreenLink& link = links[r];
        if (joint.type == JointType::free) {
            link.a = -link.M.inverse() * link.f_prime;  // AG (27)
        } else if (joint.parent < 0) {
            link.a.setZero();  // pinned
        } else {
            const ArmstrongGreenLink& p = links[joint.parent];
            link.a = link.R.transpose() * (link.a_c + p.a - link.l.cross(p.w_dot));  // AG (29)
        }
        link.w_dot = link.K * link.a + link.d;  // AG (28), (30)

        const Vec3& w = state.bodies[r].angularVelocity;
        accelerations.body[r] = {link.R_I * (link.a + link.w_dot.cross(link.c) + w.cross(w.cross(link.c))),
                                 link.R_I * link.w_dot};
        if (accelerations.wanted != Accelerations::Wanted::everything) continue;
        Force onChild;
        if (joint.type == JointType::free) {
            onChild = jointForceOnChild(model, state, r, forces.joint.data() + joint.u);
        } else {
            const Vec3 f = link.M * link.a + link.f_prime;  // AG (31)
            onChild = Force{-(link.R_I * f), -(link.R_I * link.g)}.at(link.R_I * link.c);
        }
        accelerations.load[r] = loadOnFirst(model, state, r, onChild);
    }
    jointAccelerationsFromBodies(model, state, accelerations);
}

}  // namespace sinew
