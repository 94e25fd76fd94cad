#include "sinew/optimize/motion_piece.h"

#include <cmath>

#include "sinew/dynamics/inverse.h"
#include "sinew/force/laws.h"
#include "sinew/state/jacobian.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// The phases that hold all through a piece.
template <class Function>
void eachPlace(const MotionProblem& problem, double time, Function&& function)
{
    int place = 0;
    for (const ContactPhase& phase : problem.phases)
        if (phase.isOn(time))
            for (const Vec3& point : phase.points) function(phase, point, place++);
}

double middle(const MotionPiece& piece)
{
    return piece.start + 0.5 * piece.length;
}

Vec3 forceAt(const MotionProblem& problem, const MotionPiece& piece, int places, int stage, int place)
{
    const double* f = piece.contact.data() + 3 * (stage * places + place);
    const double unit = contactUnit(problem);
    return {unit * f[0], unit * f[1], unit * f[2]};
}

}  // namespace

double contactUnit(const MotionProblem& problem)
{
    return problem.force / problem.length;
}

int contactPlaces(const MotionProblem& problem, const MotionPiece& piece)
{
    int places = 0;
    eachPlace(problem, middle(piece), [&](const ContactPhase&, const Vec3&, int) { ++places; });
    return places;
}

void PieceEvaluator::setStage(const PieceStart& start, MotionPiece& piece, int stage, bool derivatives)
{
    const double part = points_.c[stage];
    PieceMotion& motion = motion_[stage];
    motion.set(model_, points_, start, piece.y.data(), piece.length, part, derivatives);
    State& state = state_[stage];
    if (state.bodies.empty()) state = problem_.base;
    state.time = piece.start + part * piece.length;
    state.q = motion.q;
    state.u = motion.u;
    evaluateStage(piece, stage, derivatives);
}

void PieceEvaluator::evaluateStage(MotionPiece& piece, int stage, bool derivatives)
{
    State& state = state_[stage];
    const PieceMotion& motion = motion_[stage];
    bodiesFromJoints(model_, state);
    sceneForces(model_, state, forces_);
    if (derivatives) sceneTangents(model_, state, forces_, tangents_);
    addContactForces(piece, stage, derivatives);
    VecX& force = force_[stage];
    inverseDynamics(model_, state, forces_.body, motion.a, work_, force);
    for (int k = 0; k < model_.freedomCount; ++k) force[k] -= forces_.joint[k];
    if (derivatives) linearize(model_, state, forces_.body, motion.a, tangents_, at_);
}

void PieceEvaluator::addContactForces(const MotionPiece& piece, int stage, bool derivatives)
{
    const int places = contactPlaces(problem_, piece);
    const State& state = state_[stage];
    eachPlace(problem_, middle(piece), [&](const ContactPhase& phase, const Vec3& point, int place) {
        const Vec3 f = forceAt(problem_, piece, places, stage, place);
        const Vec3 arm = state.bodies[phase.body].orientation * point;
        forces_.body[phase.body] += Force{f, arm.cross(f)};
        if (!derivatives) return;
        // The force stays, its arm turns.
        BodyTangent& tangent = tangents_.bodies.emplace_back();
        tangent.body = phase.body;
        tangent.stiffness.bottomRightCorner<3, 3>() = -(tilde(f) * tilde(arm));
    });
}

// Slopes by (q, u, u̇) of a stage → slopes by the variables of the piece; added.
void PieceEvaluator::pull(const double* stageSlope, int stage, const PieceLayout& layout,
                          double* slope) const
{
    const int n = layout.freedoms;
    motion_[stage].pull(stageSlope, stageSlope + n, stageSlope + 2 * n, slope, slope + n,
                        slope + layout.y(0));
}

void PieceEvaluator::evaluate(const PieceStart& start, MotionPiece& piece, bool derivatives,
                              MotionRows& rows, PieceStart& end)
{
    const int n = model_.freedomCount;
    const PieceLayout layout{n, points_.stages, contactPlaces(problem_, piece)};
    rows.start(layout.width(), derivatives);
    sources_.clear();
    piece.forces.resize(n * points_.stages);
    for (int s = 0; s < points_.stages; ++s) {
        setStage(start, piece, s, derivatives);
        for (int k = 0; k < n; ++k) piece.forces[s * n + k] = force_[s][k];
        if (derivatives) {
            std::vector<double>& slopes = forceSlopes_[s];
            slopes.assign(static_cast<std::size_t>(layout.width()) * n, 0);
            VecX unit = VecX::Zero(n), dq, du, da;
            std::vector<double> stageSlope(static_cast<std::size_t>(3 * n));
            for (int k = 0; k < n; ++k) {
                unit[k] = 1;
                adjointOfInverse(model_, at_, unit, dq, du, da);
                unit[k] = 0;
                for (int c = 0; c < n; ++c) {
                    stageSlope[c] = dq[c];
                    stageSlope[n + c] = du[c];
                    stageSlope[2 * n + c] = da[c];
                }
                pull(stageSlope.data(), s, layout,
                     slopes.data() + static_cast<std::size_t>(k) * layout.width());
            }
            MatX J;
            eachPlace(problem_, middle(piece),
                      [&](const ContactPhase& phase, const Vec3& point, int place) {
                          pointJacobian(model_, state_[s], phase.body, point, J);
                          for (int k = 0; k < n; ++k)
                              for (int c = 0; c < 3; ++c)
                                  slopes[static_cast<std::size_t>(k) * layout.width() + layout.contact(s) +
                                         3 * place + c] = -contactUnit(problem_) * J(c, k);
                      });
        }
        addStageRows(piece, layout, s, rows);
    }
    addForceRows(piece, layout, rows);
    addLimitRows(layout, rows);
    PieceMotion last;
    last.set(model_, points_, start, piece.y.data(), piece.length, 1, false);
    end.q = last.q;
    end.u = last.u;
}

// Costs of the forces, and that nothing pushes where nothing drives.
void PieceEvaluator::addForceRows(const MotionPiece& piece, const PieceLayout& layout, MotionRows& rows)
{
    const int n = layout.freedoms, width = layout.width();
    const double T = problem_.duration;
    for (int s = 0; s < layout.stages; ++s) {
        const double share = std::sqrt(points_.weight[s] * piece.length / T);
        for (int k = 0; k < n; ++k) {
            const double Q = force_[s][k], unit = problem_.forceUnitOf(k),
                         weight = problem_.forceWeight.empty()
                                      ? 1
                                      : problem_.forceWeight[static_cast<std::size_t>(k)];
            const double* slope = forceSlopes_[s].data() + static_cast<std::size_t>(k) * width;
            if (!problem_.isDriven[static_cast<std::size_t>(k)]) {
                const int row = rows.add(RowKind::equal, MotionProblem::equations, Q, share / unit);
                sources_.push_back({row, s, k, true, 1});
                if (rows.derivatives()) std::copy(slope, slope + width, rows.slope(row));
                continue;
            }
            if (problem_.forceCost > 0 && weight > 0) {
                const double scale = share / unit * std::sqrt(problem_.forceCost * weight);
                const int row = rows.add(RowKind::cost, MotionProblem::costs, Q, scale);
                sources_.push_back({row, s, k, true, 1});
                if (rows.derivatives()) std::copy(slope, slope + width, rows.slope(row));
            }
            if (problem_.powerCost > 0) {
                const double u = motion_[s].u[k];
                const double scale = share / problem_.force * T * std::sqrt(problem_.powerCost);
                const int row = rows.add(RowKind::cost, MotionProblem::costs, Q * u, scale);
                sources_.push_back({row, s, k, true, u});
                if (!rows.derivatives()) continue;
                std::vector<double> stageSlope(static_cast<std::size_t>(3 * n), 0);
                stageSlope[static_cast<std::size_t>(n + k)] = Q;
                pull(stageSlope.data(), s, layout, rows.slope(row));
                for (int c = 0; c < width; ++c) rows.slope(row)[c] += u * slope[c];
            }
        }
    }
}

// At the points and, as the polynomial through them goes on, at both ends.
void PieceEvaluator::addLimitRows(const PieceLayout& layout, MotionRows& rows)
{
    const int width = layout.width();
    const double ends[] = {0, 1};
    for (int place = 0; place < layout.stages + 2; ++place) {
        GaussPoints::Values at{};
        if (place < layout.stages)
            at.shape[place] = 1;
        else
            at = points_.at(ends[place - layout.stages]);
        for (int k = 0; k < layout.freedoms; ++k) {
            if (!problem_.isDriven[static_cast<std::size_t>(k)]) continue;
            double Q = 0;
            for (int s = 0; s < layout.stages; ++s) Q += at.shape[s] * force_[s][k];
            for (const double sign : {1., -1.}) {
                const double limit = sign > 0 ? problem_.upper[k] : -problem_.lower[k];
                if (!std::isfinite(limit)) continue;
                const int row = rows.add(RowKind::below, MotionProblem::forceLimits, sign * Q - limit,
                                         1 / problem_.forceUnitOf(k));
                for (int s = 0; s < layout.stages; ++s)
                    if (at.shape[s] != 0) sources_.push_back({row, s, k, true, sign * at.shape[s]});
                if (!rows.derivatives()) continue;
                for (int s = 0; s < layout.stages; ++s) {
                    const double* slope = forceSlopes_[s].data() + static_cast<std::size_t>(k) * width;
                    for (int c = 0; c < width; ++c) rows.slope(row)[c] += sign * at.shape[s] * slope[c];
                }
            }
        }
    }
}

// What looks at the figure at one stage: contacts, limits of joints, clearances, accelerations.
void PieceEvaluator::fillStageRows(const MotionPiece& piece, int stage, bool derivatives)
{
    const int n = model_.freedomCount;
    const double T = problem_.duration;
    const PieceMotion& motion = motion_[stage];
    const State& state = state_[stage];
    stageRows_.start(3 * n, derivatives);
    const MotionMoment moment{model_, state, at_};

    if (problem_.accelerationCost > 0) {
        const double share =
            std::sqrt(points_.weight[stage] * piece.length / T * problem_.accelerationCost);
        for (int k = 0; k < n; ++k) {
            const int row = stageRows_.add(RowKind::cost, MotionProblem::costs, motion.a[k],
                                           share * T * T / problem_.unitOf(k));
            if (derivatives) stageRows_.slope(row)[2 * n + k] = 1;
        }
    }
    if (problem_.keepsJointLimits)
        for (const Joint& joint : model_.joints)
            for (int k = 0; k < joint.info().plain() && k < 3; ++k)
                for (const double sign : {1., -1.}) {
                    const double limit = sign > 0 ? joint.upper[k] : -joint.lower[k];
                    if (!std::isfinite(limit)) continue;
                    const int row = stageRows_.add(RowKind::below, MotionProblem::jointLimits,
                                                   sign * state.q[joint.q + k] - limit,
                                                   1 / problem_.unitOf(joint.u + k));
                    if (derivatives) stageRows_.slope(row)[joint.u + k] = sign;
                }
    for (std::size_t c = 0; c < problem_.clearances.size(); ++c) {
        const Clearance& clearance = problem_.clearances[c];
        const BodyState& body = state.bodies[clearance.body];
        const Vec3 arm = body.orientation * clearance.point;
        LargeVector<BodyChange> weights(model_.bodies.size());
        weights[clearance.body].place = {-clearance.normal, -arm.cross(clearance.normal)};
        moment.addRow(RowKind::below, problem_.clearanceName(static_cast<int>(c)),
                      clearance.height - clearance.normal.dot(body.position + arm), 1 / problem_.length,
                      weights, stageRows_);
    }
    addContactRows(moment, middle(piece), stageRows_);
}

void PieceEvaluator::addStageRows(const MotionPiece& piece, const PieceLayout& layout, int stage,
                                  MotionRows& rows)
{
    const double T = problem_.duration;
    fillStageRows(piece, stage, rows.derivatives());
    for (std::size_t r = 0; r < stageRows_.rows.size(); ++r) {
        const MotionRows::Row& given = stageRows_.rows[r];
        const int row = rows.add(given.kind, given.name, given.value, given.scale);
        sources_.push_back({row, stage, static_cast<int>(r), false, 1});
        if (rows.derivatives()) pull(stageRows_.slope(static_cast<int>(r)), stage, layout, rows.slope(row));
    }
    // Coulomb's cone, of the forces themselves.
    const double unit = contactUnit(problem_);
    eachPlace(problem_, middle(piece), [&](const ContactPhase& phase, const Vec3&, int place) {
        const int name = MotionProblem::firstPhase + static_cast<int>(&phase - problem_.phases.data());
        const int first = layout.contact(stage) + 3 * place;
        const Vec3 f = forceAt(problem_, piece, layout.places, stage, place);
        const double along = phase.normal.dot(f);
        const Vec3 across = f - along * phase.normal;
        // |across| with a rounded tip, which needs the force to press by a millionth of its unit.
        const double size = std::sqrt(across.squaredNorm() + 1e-12 * unit * unit);
        const Vec3 slope = unit * (across / size - phase.friction * phase.normal);
        const int row = rows.add(RowKind::below, name, size - phase.friction * along, 1 / unit);
        // Several places can share a load in many ways: the evenest.
        const double share = 1e-3 * std::sqrt(points_.weight[stage] * piece.length / T) / unit;
        for (int k = 0; k < 3; ++k) {
            if (rows.derivatives()) rows.slope(row)[first + k] = slope[k];
            const int even = rows.add(RowKind::cost, MotionProblem::costs, f[k], share);
            if (rows.derivatives()) rows.slope(even)[first + k] = unit;
        }
    });
}

// Places in contact do not accelerate.
void PieceEvaluator::addContactRows(const MotionMoment& moment, double time, MotionRows& rows)
{
    const double T = problem_.duration;
    LargeVector<Motion> accelerations;
    bool isKnown = false;
    eachPlace(problem_, time, [&](const ContactPhase& phase, const Vec3& point, int) {
        const int name = MotionProblem::firstPhase + static_cast<int>(&phase - problem_.phases.data());
        const int body = phase.body;
        if (!isKnown) {
            // Those of inverse dynamics, body axes, of the point that is there now.
            accelerations.resize(model_.bodies.size());
            for (int i = 0; i < model_.size(); ++i)
                accelerations[i] = Motion::from(work_.links[i].acceleration);
            isKnown = true;
        }
        const BodyState& b = moment.state.bodies[body];
        const Mat3 R = b.orientation.toRotationMatrix();
        const Vec3 v = R.transpose() * b.velocity, w = b.angularVelocity;
        const Motion& a = accelerations[body];
        const Vec3 arm = R * point, spin = R * w, turning = R * a.angular;
        const Vec3 centre = R * (a.linear + w.cross(v));
        const Vec3 value = centre + turning.cross(arm) + spin.cross(spin.cross(arm));
        for (int k = 0; k < 3; ++k) {
            const Vec3 e = Vec3::Unit(k);
            LargeVector<BodyChange> weights(model_.bodies.size());
            BodyChange& weight = weights[body];
            weight.acceleration = {e, arm.cross(e)};
            // ω × (ω × r) by ω, and all of it by r.
            weight.velocity.angular = spin.cross(arm).cross(e) + arm.cross(e.cross(spin));
            const Vec3 byArm = e.cross(turning) + e.cross(spin).cross(spin);
            weight.place.angular = arm.cross(byArm);
            moment.addRow(RowKind::equal, name, value[k], T * T / problem_.length, weights, rows);
        }
    });
}

void PieceEvaluator::endSlopes(const PieceStart& start, const MotionPiece& piece,
                               std::vector<double>& slopes)
{
    const int n = model_.freedomCount;
    const PieceLayout layout{n, points_.stages, contactPlaces(problem_, piece)};
    PieceMotion last;
    last.set(model_, points_, start, piece.y.data(), piece.length, 1, true);
    slopes.assign(static_cast<std::size_t>(layout.width()) * 2 * n, 0);
    std::vector<double> unit(static_cast<std::size_t>(3 * n), 0);
    for (int k = 0; k < 2 * n; ++k) {
        double* column = slopes.data() + static_cast<std::size_t>(k) * layout.width();
        unit[static_cast<std::size_t>(k)] = 1;
        last.pull(unit.data(), unit.data() + n, unit.data() + 2 * n, column, column + n,
                  column + layout.y(0));
        unit[static_cast<std::size_t>(k)] = 0;
    }
}

void PieceEvaluator::evaluateMoment(const PieceStart& at, double time, bool derivatives, MotionRows& rows)
{
    constexpr double slack = 1e-9;
    State& state = state_[0];
    if (state.bodies.empty()) state = problem_.base;
    state.time = time;
    state.q = at.q;
    state.u = at.u;
    bodiesFromJoints(model_, state);
    rows.start(3 * model_.freedomCount, derivatives);
    if (derivatives) {
        forces_.setZero(model_);
        linearize(model_, state, forces_.body, VecX::Zero(model_.freedomCount), {}, at_);
    }
    const MotionMoment moment{model_, state, at_};
    for (std::size_t c = 0; c < problem_.conditions.size(); ++c) {
        const MotionCondition& condition = problem_.conditions[c];
        if (!condition.isOn(time)) continue;
        const bool isCost = condition.weight > 0;
        condition.addRows(moment, isCost ? RowKind::cost : RowKind::equal,
                          problem_.conditionName(static_cast<int>(c)),
                          isCost ? std::sqrt(condition.weight) : 1, rows);
    }
    for (std::size_t p = 0; p < problem_.phases.size(); ++p) {
        const ContactPhase& phase = problem_.phases[p];
        if (std::abs(phase.from - time) > slack) continue;
        const int name = MotionProblem::firstPhase + static_cast<int>(p);
        const BodyState& b = state.bodies[phase.body];
        const Vec3 spin = b.angularVelocityWorld();
        for (const Vec3& point : phase.points) {
            const Vec3 arm = b.orientation * point, velocity = b.velocity + spin.cross(arm);
            LargeVector<BodyChange> weights(model_.bodies.size());
            weights[phase.body].place = {phase.normal, arm.cross(phase.normal)};
            moment.addRow(RowKind::equal, name, phase.normal.dot(b.position + arm) - phase.height,
                          1 / problem_.length, weights, rows);
            for (int k = 0; k < 3; ++k) {
                const Vec3 e = Vec3::Unit(k);
                weights[phase.body].place = {Vec3::Zero(), arm.cross(e.cross(spin))};
                weights[phase.body].velocity = {e, arm.cross(e)};
                moment.addRow(RowKind::equal, name, velocity[k], problem_.duration / problem_.length,
                              weights, rows);
            }
            weights[phase.body] = {};
        }
    }
}

}  // namespace sinew
