// Links without mass: two hinges that meet in one place with nothing between them, as robots' wrists and
// the hips of other engines' humanoids are written.
//
// The recursion never asks for the inertia of a link alone, only for D = Sᵀ I^A S of all that hangs from
// its joint. So a link may be without mass as long as what lies beyond it resists every motion of its
// joint: there has to be mass, and no motion of the joint may be undone by those of the joints that follow
// before it. An armature resists by itself.
#include <Eigen/QR>

#include "sinew/math/eigen.h"
#include "sinew/model/compile/parts.h"

namespace sinew::compiling {
namespace {

// Directions this near to dependent are: what a hand-written file can hold.
constexpr double dependent = 1e-9;

// The motions of a joint at rest, world axes at the world's origin, one column each.
Subspace motionsAtRest(const Model& model, int i)
{
    const Joint& joint = model.joints[i];
    double q[7];
    jointRest(joint, q);
    Subspace S;
    jointSubspace(joint, q, jointTransform(joint, q), S);
    const Pose& rest = model.bodies[i].rest;
    const Mat3 R = rest.orientation.toRotationMatrix();
    if (joint.isFree()) S = Mat6::Identity();
    for (int c = 0; c < S.cols(); ++c) {
        const Vec3 angular = R * S.col(c).tail<3>(), linear = R * S.col(c).head<3>();
        S.col(c) << linear + rest.position.cross(angular), angular;
    }
    return S;
}

struct Beyond {
    double mass = 0;       // of the link and all beyond it
    double own = 0;        // of the link and what is welded to it
    int movingJoints = 0;  // that lead on from those
    int next = -1;         // one of them
};

}  // namespace

void checkMassless(const Model& model, Checker& check)
{
    bool any = false;
    for (const Body& body : model.bodies) any = any || body.mass == 0;
    if (!any || check.failed()) return;

    const auto fail = [&](int i, const std::string& why) {
        for (std::size_t k = 0; k < model.bodyOrder.size(); ++k)
            if (model.bodyOrder[k] == i)
                check.fail(at("bodies", k) + "/mass",
                           "body " + quoted(model.bodies[i].name) + " has no mass, " + why);
    };
    std::vector<Beyond> beyond(model.bodies.size());
    for (int i = model.size() - 1; i >= 0 && !check.failed(); --i) {
        Beyond& here = beyond[i];
        const Joint& joint = model.joints[i];
        here.mass += model.bodies[i].mass;
        here.own += model.bodies[i].mass;
        if (joint.parent >= 0) {
            Beyond& parent = beyond[joint.parent];
            parent.mass += here.mass;
            if (joint.isRigid()) {
                parent.own += here.own;
                parent.movingJoints += here.movingJoints;
                if (here.next >= 0) parent.next = here.next;
            } else {
                ++parent.movingJoints;
                parent.next = i;
            }
        }
        if (here.own > 0 || joint.isRigid() || joint.armature > 0) continue;
        if (here.mass == 0) {
            fail(i, "and nothing with mass hangs from it; give it some, or weld it");
            continue;
        }
        // With several branches each holds the others' motions; the step says so where they do not.
        Subspace motions = motionsAtRest(model, i);
        Matrix<6, dynamic> run = motions;
        for (int j = i; beyond[j].own == 0 && beyond[j].movingJoints == 1;) {
            j = beyond[j].next;
            if (model.joints[j].armature > 0) continue;
            motions = motionsAtRest(model, j);
            run.resize(6, run.cols() + motions.cols());
            run.rightCols(motions.cols()) = motions;
        }
        run.colwise().normalize();
        Eigen::ColPivHouseholderQR<Eigen::MatrixXd> rank;
        rank.setThreshold(dependent);
        if (rank.compute(eigen(run)).rank() < run.cols())
            fail(i, "and the joints on its sides can turn or shift it without moving anything with mass");
    }
}

}  // namespace sinew::compiling
