#include "sinew/optimize/motion_piece.h"

#include <cmath>

#include "sinew/dynamics/inverse.h"
#include "sinew/force/laws.h"
#include "sinew/optimize/motion_contact.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

double middle(const MotionPiece& piece)
{
    return piece.start + 0.5 * piece.length;
}

// As parts of its unit.
Vec3 forceAt(const MotionPiece& piece, int places, int stage, int place)
{
    const double* f = piece.contact.data() + 3 * (stage * places + place);
    return {f[0], f[1], f[2]};
}

// Two directions across a normal.
void acrossOf(const Vec3& normal, Vec3* sides)
{
    int least = 0;
    for (int k = 1; k < 3; ++k)
        if (std::abs(normal[k]) < std::abs(normal[least])) least = k;
    sides[0] = normal.cross(Vec3::Unit(least)).normalized();
    sides[1] = normal.cross(sides[0]);
}

}  // namespace

int contactPlaces(const MotionProblem& problem, const MotionPiece& piece)
{
    return placesAt(problem, middle(piece));
}

void keepInCones(const MotionProblem& problem, int stages, MotionPiece& piece)
{
    // So far inside, as parts of the unit, and of what lies across.
    constexpr double inside = 1e-3;
    const int places = contactPlaces(problem, piece);
    for (int stage = 0; stage < stages; ++stage)
        eachPlace(problem, middle(piece), [&](const ContactPhase& phase, int, int place) {
            if (phase.isHold()) return;
            Vec3 f = forceAt(piece, places, stage, place);
            const double along = phase.normal.dot(f);
            const Vec3 across = f - along * phase.normal;
            const double least = (1 + inside) * across.norm() / phase.friction + inside;
            if (along >= least) return;
            f = across + least * phase.normal;
            for (int k = 0; k < 3; ++k) piece.contact[3 * (stage * places + place) + k] = f[k];
        });
}

bool areInCones(const MotionProblem& problem, int stages, const MotionPiece& piece, const VecX& way,
                double part)
{
    const int places = contactPlaces(problem, piece);
    bool are = true;
    for (int stage = 0; stage < stages; ++stage)
        eachPlace(problem, middle(piece), [&](const ContactPhase& phase, int, int place) {
            if (phase.isHold()) return;
            Vec3 f;
            for (int k = 0; k < 3; ++k) {
                const int i = 3 * (stage * places + place) + k;
                f[k] = piece.contact[i] + part * way[i];
            }
            const double along = phase.normal.dot(f);
            are &= (f - along * phase.normal).norm() < phase.friction * along;
        });
    return are;
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
    eachPlace(problem_, middle(piece), [&](const ContactPhase& phase, int own, int place) {
        const Vec3 f = placeUnit(problem_, phase, own) * forceAt(piece, places, stage, place);
        addPlaceForce(state_[stage], phase, own, f, forces_, derivatives ? &tangents_ : nullptr);
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
            eachPlace(problem_, middle(piece), [&](const ContactPhase& phase, int own, int place) {
                placeJacobian(model_, state_[s], phase, own, J);
                for (int k = 0; k < n; ++k)
                    for (int c = 0; c < 3; ++c)
                        slopes[static_cast<std::size_t>(k) * layout.width() + layout.contact(s) +
                               3 * place + c] = -placeUnit(problem_, phase, own) * J(c, k);
            });
        }
        addStageRows(piece, layout, s, rows);
    }
    addForceRows(piece, layout, rows);
    addLimitRows(layout, piece.length, rows);
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
                const int row =
                    rows.add(RowKind::equal, MotionProblem::equations, Q, share / problem_.ownForceOf(k));
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
void PieceEvaluator::addLimitRows(const PieceLayout& layout, double length, MotionRows& rows)
{
    const int width = layout.width();
    const double ends[] = {0, 1};
    const double part = std::sqrt(length / problem_.duration / layout.stages);
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
                                         part / problem_.forceUnitOf(k));
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
void PieceEvaluator::fillStageRows(const MotionPiece& piece, int stage, bool derivatives, RowSum* sum)
{
    const int n = model_.freedomCount;
    const double T = problem_.duration;
    const PieceMotion& motion = motion_[stage];
    const State& state = state_[stage];
    stageRows_.start(3 * n, derivatives);
    const MotionMoment moment{model_, state, at_, sum};
    const double share = points_.weight[stage] * piece.length / T, part = std::sqrt(share);

    if (problem_.accelerationCost > 0) {
        const double scale = part * std::sqrt(problem_.accelerationCost) * T * T;
        for (int k = 0; k < n; ++k) {
            const int row = stageRows_.add(RowKind::cost, MotionProblem::costs, motion.a[k],
                                           scale / problem_.unitOf(k));
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
                                                   part / problem_.unitOf(joint.u + k));
                    if (derivatives) stageRows_.slope(row)[joint.u + k] = sign;
                }
    for (std::size_t c = 0; c < problem_.clearances.size(); ++c) {
        const Clearance& clearance = problem_.clearances[c];
        if (isTouching(clearance, middle(piece))) continue;
        const BodyState& body = state.bodies[clearance.body];
        const Vec3 arm = body.orientation * clearance.point;
        LargeVector<BodyChange> weights(model_.bodies.size());
        weights[clearance.body].place = {-clearance.normal, -arm.cross(clearance.normal)};
        moment.addRow(RowKind::below, problem_.clearanceName(static_cast<int>(c)),
                      clearance.height - clearance.normal.dot(body.position + arm), part / problem_.length,
                      weights, stageRows_);
    }
    if (contactPlaces(problem_, piece) == 0) return;
    // Of inverse dynamics, at the point that is there now.
    accelerations_.resize(model_.bodies.size());
    for (int i = 0; i < model_.size(); ++i) accelerations_[i] = Motion::from(work_.links[i].acceleration);
    eachPhase(problem_, middle(piece), [&](const ContactPhase& phase, int) {
        const int name = MotionProblem::firstPhase + static_cast<int>(&phase - problem_.phases.data());
        addRestRows(moment, accelerations_, phase, name, part / problem_.acceleration, problem_.length,
                    stageRows_);
    });
}

bool PieceEvaluator::isTouching(const Clearance& clearance, double time) const
{
    bool is = false;
    eachPhase(problem_, time, [&](const ContactPhase& phase, int) {
        if (phase.body != clearance.body) return;
        for (const Vec3& point : phase.points)
            is |= (point - clearance.point).norm() < 1e-6 * problem_.length;
    });
    return is;
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
    // Coulomb's cone, of the forces themselves. Several places can share a load in many ways: the evenest.
    const double part = points_.weight[stage] * piece.length / T, even = 1e-3 * std::sqrt(part);
    eachPlace(problem_, middle(piece), [&](const ContactPhase& phase, int own, int place) {
        const int first = layout.contact(stage) + 3 * place;
        const Vec3 f = forceAt(piece, layout.places, stage, place);
        const double unit = placeUnit(problem_, phase, own);
        for (int k = 0; k < 3; ++k) {
            const int row = rows.add(RowKind::cost, MotionProblem::costs, unit * f[k], even / unit);
            if (rows.derivatives()) rows.slope(row)[first + k] = unit;
        }
        if (phase.isHold()) return;
        Vec3 sides[2];
        acrossOf(phase.normal, sides);
        const int name = MotionProblem::firstPhase + static_cast<int>(&phase - problem_.phases.data());
        for (int k = 0; k < 3; ++k) {
            const Vec3 direction = k == 0 ? Vec3(phase.friction * phase.normal) : sides[k - 1];
            const int row =
                rows.add(k == 0 ? RowKind::cone : RowKind::across, name, unit * direction.dot(f), 1 / unit);
            rows.rows.back().share = part;
            if (!rows.derivatives()) continue;
            for (int c = 0; c < 3; ++c) rows.slope(row)[first + c] = unit * direction[c];
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
        addBeginRows(moment, problem_, phase, MotionProblem::firstPhase + static_cast<int>(p), rows);
    }
}

}  // namespace sinew
