// Limits, dry friction and controllers of joints in Newton's method: their loads are unknowns of their own.
//
// The laws bend sharply: k x begins where a joint comes to its limit x = 0, −c u/√(u² + ε²) turns round
// where it comes to rest, a controller gives −y up to its limit L and no more. Newton's method on the
// joint's coordinates alone goes from one side to the other, or crawls along a stiff limit that is curved
// (the cone of a ball joint), because each turn along it leaves a huge force k x of second order. So, as in
// primal-dual methods (Chan, Golub & Mulet 1999 for √(u²
// + ε²); Tournier et al. 2015 for stiff springs), the load is kept beside the coordinates and both are
// linearised:
//     limit      λ = k max(0, x(q))       λ' = k max(0, x + n·δ)      n = ∂x/∂q
//     friction   τ √(u² + ε²) = −c u      τ' = −c u/s − D δu          s = √(u² + ε²)
//                                         D = (c 1 + (τ uᵀ + u τᵀ)/2s)/s
//     controller τ max(L, |y|) = −L y     likewise in y, with s = |y|, where |y| > L; else τ' = −y − δy
// Without the loads the equations for δ are those of Newton's method, but for the terms of second order:
// the curvature of a limit bears λ, not k x; friction has D; and what the joint carries leaves out the
// difference. At the solution the loads are the laws' own. |τ| ≤ c, so D is never negative.
//
// Which limits bear is part of the linear problem H δ + h² r + h² Σ k max(0, x + n·δ) n = 0, which is
// solved in a few rounds with the limits chosen by the round before. Where H is symmetric it is the minimum
// of a convex function, and searching along the way from round to round, y = h² k (x + n·δ) of those that
// bear,
//     g(t) = Σ (n·d) (h² k max(0, x + n·(δ + t d)) − (1 − t) y − t y')  = 0
// makes it converge whatever the number of limits. Cost: O(n) a round.
#pragma once

#include <span>
#include <vector>

#include "sinew/force/laws.h"
#include "sinew/force/spring_force.h"

namespace sinew {

class JointLoads {
public:
    // As the laws have them at a state. The length of the step in the equations of a skeleton is its part
    // of h.
    void begin(const Model& model, const State& state, double h, const std::vector<double>& parts);
    // For Newton's method, after that: friction that will stop a joint begins with no load. Its first
    // linearisation is −c u'/s then, which brings the joint to rest, where D of the law would throw it far
    // the other way.
    void guessFriction(const Model& model, const State& state, double h, const std::vector<double>& parts);
    bool empty() const { return loads_.empty(); }
    bool hasLimits() const { return !rows_.empty(); }
    bool has(int link) const { return !loads_.empty() && loadOf_[static_cast<std::size_t>(link)] >= 0; }

    // At an iterate with its velocities: sets difference(). Those limits bear that did last.
    void evaluate(const Model& model, const State& state);
    // By how much the loads are more than the laws' forces, per freedom.
    const VecX& difference() const { return difference_; }

    // Adds the loads to the tangent of a joint's other laws (without limits), at the iterate.
    void addTangent(const Model& model, const State& state, int link, JointTangent& tangent);
    // The stiffness of the limits that bear, times h².
    Mat3 bearingStiffness(int link) const;
    // What these change on the right-hand side −h² r of the laws; and at one joint.
    void addToRightHandSide(VecX& right) const;
    Vec3 bearingChange(int link) const;

    // Rounds of the linear problem. `next` is the answer with the limits chosen last, `delta` where the
    // round before came to; sets `delta`, and true if it is the solution.
    void beginRounds();
    bool finishRound(const VecX& next, VecX& delta);

    // Whether the limits bear at the end of a correction that were chosen to.
    bool bearsAsChosen(const VecX& delta) const;

    // The loads at the end of a correction of the freedoms that begins at the iterate; they follow as far
    // as it is taken, to where the joints have these velocities.
    void predict(const Model& model, const State& state, const VecX& correction);
    void accept(const Model& model, double length, const State& state);

private:
    // A limit of a freedom, or of swing or twist.
    struct Row {
        int u = 0, freedoms = 0;  // where the joint's freedoms are
        double stiffness = 0, h2 = 0;
        double beyond = 0;          // x
        Vec3 grows = Vec3::Zero();  // n
        bool bears = false;
        double load = 0, oldLoad = 0, newLoad = 0;
        double bearing = 0;  // y

        double along(const VecX& motion) const
        {
            double sum = 0;
            for (int i = 0; i < freedoms; ++i) sum += grows[i] * motion[u + i];
            return sum;
        }
        double law() const { return beyond > 0 ? stiffness * beyond : 0; }
        // On the right-hand side, where it bears other than by the law.
        double change() const
        {
            if (bears == (beyond > 0)) return 0;
            return (bears ? -1 : 1) * h2 * stiffness * beyond;
        }
    };
    // A controller with a limit.
    struct Drive {
        const Controller* controller = nullptr;
        Vec3 load = Vec3::Zero(), oldLoad = Vec3::Zero();
        SpringForce pull, oldPull;      // without the limit
        Mat3 share = Mat3::Identity();  // D
    };
    struct Load {
        int link = 0;
        int firstRow = 0, endRow = 0;
        int firstDrive = 0, endDrive = 0;
        Vec3 friction = Vec3::Zero(), oldFriction = Vec3::Zero(), lawFriction = Vec3::Zero();
        Vec3 oldVelocity = Vec3::Zero();
        Mat3 damping = Mat3::Zero();
    };
    void placeRows(const Model& model, const State& state, const Load& load);
    void placeDrives(const Model& model, const State& state, const Load& load);
    std::span<Drive> drivesOf(const Load& load)
    {
        return std::span(drives_).subspan(static_cast<std::size_t>(load.firstDrive),
                                          static_cast<std::size_t>(load.endDrive - load.firstDrive));
    }
    bool choose(const VecX& delta);

    std::vector<Load> loads_;
    std::vector<Row> rows_;
    std::vector<Drive> drives_;
    std::vector<int> loadOf_;  // of each link, or −1
    VecX difference_;
    bool isFirstRound_ = true;
};

}  // namespace sinew
