// The equations of an implicit step in joint coordinates and Newton's matrix of them
// (integrate/implicit.h): what implicit_joint.cpp solves. Not a public header.
#pragma once

#include <optional>

#include "sinew/integrate/step_work.h"

namespace sinew {

class JointEquations {
public:
    JointEquations(const ImplicitProblem& problem, StepWork& work);

    // Contacts and loops, if there are any.
    std::optional<StepConstraints>& constraints() { return constraints_; }

    // Poses at state.q, discrete velocities, forces, and the residual; returns its norm. `moved`: how far
    // along the correction that was found last, for the loads that follow it.
    double evaluate(State& state, std::optional<double> moved = {});
    // The next evaluations are for where `correction` takes the bodies from `state`, the one evaluated
    // last; or for where they come to from the start of the step if nothing acts on them. What they miss of
    // that is of second order, but times the masses of heavy bodies it drowns the loads of light ones: the
    // matrix takes the loads as they were foreseen (implicit.h).
    void foresee(const State& state, const VecX& correction);
    void foreseeCoasting();
    // Until a correction says more, forces between bodies are believed to stay what they were.
    void believePairs();
    // At the end of a step: places, velocities and displacements of the constraints alone.
    void finish(State& state);
    // The matrix at the state of the last evaluation, into the links. `clamped`: made positive, as far as
    // each body and each joint goes.
    void assemble(bool clamped);
    // What is positive is left as it is when it is clamped, which is quicker and rounds otherwise.
    void clampWhereNegative() { clampsWhereNegative_ = true; }
    // Into work.joint.right, (matrix) δ = −h² r.
    void setRightHandSide();
    // Into work.joint.right, times h²: how large the terms are that the residual is a sum of, times the
    // machine's rounding, with signs that do not cancel by symmetry.
    void setRoundingOfResidual();

private:
    using Vector = Vector3<double>;
    using Matrix = Matrix3<double>;

    void placeAll(State& state);
    void place(State& state, int i);
    void addNeed(const State& state, int i);
    void carry(const State& state, int i);
    void clampTurning(int i);
    void clampOverloaded();
    void clampJoint(int i);
    void addBearingLimits();
    bool isSurprised(const State& state, double part) const;
    bool pairsSurprise() const;
    void believeForeseen(const State& state, double part);
    void setPairRows();
    const JointLoad& loadOf(int i) const { return believes_ ? believed_[i] : carried_[i]; }
    void addExcess(int i, const JointLoad* more);
    Matrix turningInertia(int i) const;
    void setInertia(int i);
    void addBodyTangents();
    JointLoad liftedLoad(int i) const;
    void addJoint(int i, bool clamped);
    void addTangent(int i);
    void addRates(int i, const Mat3& damping);
    void addSlideRates(int i, double damping);
    void addGeneralRates(int i, const Mat3& damping);
    Matrix motionOfOffset(int i) const;
    void addSliding(int i, const Vector& F, bool clamped);
    // The length of the step as the equations of a body have it: BDF2's is 2/3 of the whole.
    const StepLength& length(int body) const { return lengths_[model_.skeletonOf[body]]; }
    double h(int body) const { return length(body).h; }

    const Model& model_;
    ForceFunction forces_;
    double h_;
    double ahead_;
    const LargeVector<BodyState>&star_, &start_;
    StepWork& work_;
    std::vector<StepLength>& lengths_;
    ArticulatedLinks& links_;
    LargeVector<LinkTurn>& turns_;
    std::optional<StepConstraints> constraints_;
    LargeVector<JointLoad>& carried_;   // what each joint carries
    LargeVector<JointLoad>& believed_;  // likewise, as Newton's matrix has it
    bool foresees_ = false, believes_ = false;
    bool clampsWhereNegative_ = false;
    LargeVector<Vector>& excess_;  // and what of it is residual of turning joints (implicit.h)
    JointLoads& loads_;
};

}  // namespace sinew
