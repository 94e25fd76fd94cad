// What a motion should do, for space-time constraints: the equations of motion hold, conditions at given
// times are met, and what is left free is chosen so that a cost over time is least.
//
// Source: A. Witkin, M. Kass, "Spacetime constraints", SIGGRAPH 1988; the course slides, "Spacetime
// constraints".
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sinew/dynamics/derivatives.h"
#include "sinew/optimize/collocation.h"

namespace sinew {

// cost: ½ (scale · value)² is added; equal: value = 0; below: value ≤ 0; cone: |(the next two values)| ≤
// value, the next two being `across`, with the same scale.
enum class RowKind : std::uint8_t { cost, equal, below, cone, across };

// Numbers that a motion is judged by at one moment or over one piece, each with its slope.
class MotionRows {
public:
    struct Row {
        RowKind kind;
        int name;          // in MotionProblem::names
        double value;      // in its own unit
        double scale;      // times this it is of order one
        double share = 1;  // of a cone: the part of the duration that it stands for
    };
    void start(int width, bool derivatives)
    {
        width_ = width;
        derivatives_ = derivatives;
        rows.clear();
        slopes_.clear();
    }
    bool derivatives() const { return derivatives_; }
    int width() const { return width_; }
    // Its slope is zero until it is written.
    int add(RowKind kind, int name, double value, double scale)
    {
        rows.push_back({kind, name, value, scale, 1});
        if (derivatives_) slopes_.resize(slopes_.size() + static_cast<std::size_t>(width_), 0);
        return static_cast<int>(rows.size()) - 1;
    }
    double* slope(int row) { return slopes_.data() + static_cast<std::size_t>(row) * width_; }
    const double* slope(int row) const { return slopes_.data() + static_cast<std::size_t>(row) * width_; }

    std::vector<Row> rows;

private:
    int width_ = 0;
    bool derivatives_ = false;
    std::vector<double> slopes_;
};

// Weights on the motion of bodies that say the gradient of Σ factor · row.
struct RowSum {
    const std::vector<double>& factors;
    LargeVector<BodyChange> weights;
};

// The figure at a time, for conditions. Slopes are by q, u and u̇ in that order, freedoms each.
struct MotionMoment {
    const Model& model;
    const State& state;
    DynamicsDerivatives& at;
    RowSum* sum = nullptr;  // if it is there, rows that look at bodies go into it

    // Adds a row that looks at bodies: `weights` (world axes) are its slopes by their places, velocities
    // and accelerations.
    void addRow(RowKind kind, int name, double value, double scale, const LargeVector<BodyChange>& weights,
                MotionRows& rows) const;
};

// Something that is asked of the figure at one moment, or at every moment between pieces for a while.
struct MotionCondition {
    std::string name;  // as messages call it
    double time = 0;
    double until = -1;  // not before `time`: for so long
    double weight = 0;  // > 0: no condition but a cost, ½ weight · value²
    // Adds its rows: kind, name and a factor to their scale are given.
    std::function<void(const MotionMoment& moment, RowKind kind, int name, double factor, MotionRows& rows)>
        addRows;

    double end() const { return std::max(time, until); }
    bool isOn(double now) const
    {
        constexpr double slack = 1e-9;
        return now >= time - slack && now <= end() + slack;
    }
};

// What may be asked. Links are tree indices, numbers as in q and u; points in body axes from the centre of
// mass, places and velocities in the world. `length` and `duration` are what they are measured by.
MotionCondition jointIsAt(const Model& model, int link, const double* q, double time);
MotionCondition jointMoves(const Model& model, int link, const double* u, double time, double duration);
MotionCondition poseIs(const Model& model, const VecX& q, double time);
MotionCondition velocityIs(const Model& model, const VecX& u, double time, double duration);
MotionCondition pointIsAt(const Model& model, int body, const Vec3& point, const Vec3& place, double time,
                          double length);
MotionCondition pointMoves(const Model& model, int body, const Vec3& point, const Vec3& velocity,
                           double time, double length, double duration);
MotionCondition bodyIsTurned(const Model& model, int body, const Quat& orientation, double time);

// From one time to another, points of a body rest on a plane: normal · place = height, and slide nowhere.
// They come to rest without a blow, so without speed. Or the body is held by another one, which can push,
// pull and turn it: its centre of mass and orientation stay in that one's axes, from its centre of mass.
struct ContactPhase {
    std::string name;
    double from = 0, until = 0;
    int body = 0;
    std::vector<Vec3> points;  // body axes, from the centre of mass
    Vec3 normal = Vec3(0, 1, 0);
    double height = 0, friction = 1;
    int holder = -1;
    Pose held;

    bool isHold() const { return holder >= 0; }

    bool isOn(double time) const { return time >= from && time < until; }
};

// A point of a body stays above a plane, normal · place ≥ height, but while it is in contact.
struct Clearance {
    std::string name;
    int body = 0;
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3(0, 1, 0);
    double height = 0;
};

struct MotionProblem {
    const Model* model = nullptr;
    State base;  // the scene at the start: what is neither coordinate nor velocity
    double duration = 1;

    // Per freedom: whether something drives it, and how hard it can. What is not driven moves by the forces
    // of the scene alone.
    std::vector<char> isDriven;
    VecX lower, upper;

    // ∫ forceCost |Q|² + powerCost Σ (Q u)² + accelerationCost |u̇|² dt, over what is driven; Q, u and u̇ as
    // parts of forceUnit and the like, so that angles and lengths can be added.
    double forceCost = 1, powerCost = 0, accelerationCost = 0;
    std::vector<double> forceWeight;  // per freedom; empty: ones
    bool keepsJointLimits = true;

    std::vector<MotionCondition> conditions;
    std::vector<ContactPhase> phases;
    std::vector<Clearance> clearances;

    // What sizes are told by; setUnits() finds them out of the model.
    double length = 1, force = 1, acceleration = 1;  // m; N·m; m/s²
    void setUnits();
    // Of one freedom: of its coordinate, and of the force along it.
    std::vector<double> units;
    double unitOf(int freedom) const { return units[static_cast<std::size_t>(freedom)]; }
    double forceUnitOf(int freedom) const { return force / unitOf(freedom); }
    // What moves that freedom alone by about the unit of accelerations.
    double ownForceOf(int freedom) const { return ownForces[static_cast<std::size_t>(freedom)]; }
    std::vector<double> ownForces;

    // Everything that a row can belong to, for messages: the equations, limits, phases, conditions.
    std::vector<std::string> names() const;
    enum : int { equations, forceLimits, jointLimits, costs, firstPhase };
    int clearanceName(int i) const { return firstPhase + static_cast<int>(phases.size()) + i; }
    int conditionName(int i) const { return clearanceName(static_cast<int>(clearances.size())) + i; }
};

}  // namespace sinew
