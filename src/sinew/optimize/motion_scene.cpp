#include "sinew/optimize/motion_scene.h"

#include <algorithm>
#include <cmath>

#include "sinew/model/wish.h"
#include "sinew/optimize/wish_slopes.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/named.h"

namespace sinew {
namespace {

// The slope of a residual by the velocity of a point changes as the point turns with its body.
void addVelocitySlope(const WishRows::ByVelocity& by, const Wish& wish, const State& state,
                      LargeVector<BodyChange>& weights)
{
    BodyChange& weight = weights[by.body];
    const Motion slope = Motion::from(by.slope);
    weight.velocity = weight.velocity + slope;
    const BodyState& body = state.bodies[by.body];
    for (const WishPoint& point : wish.points) {
        if (point.body != by.body) continue;
        const Vec3 arm = body.orientation * point.point;
        weight.place.angular += arm.cross(slope.linear.cross(body.angularVelocityWorld()));
        break;
    }
}

// `sign`: of the residuals; the other way round for what must not be less.
void addWishRows(const Wish& wish, const MotionMoment& moment, RowKind kind, int name, double factor,
                 double sign, MotionRows& rows)
{
    WishRows found;
    wish.type->evaluate(wish, wishView(moment.model, moment.state), found);
    if (sign < 0) {
        for (double& residual : found.residual) residual = -residual;
        for (WishRows::ByBody& by : found.bodies) by.slope = -by.slope;
        for (WishRows::ByVelocity& by : found.velocities) by.slope = -by.slope;
        for (WishRows::ByFreedom& by : found.freedoms) by.slope = -by.slope;
    }
    std::vector<LargeVector<BodyChange>> weights(found.residual.size());
    for (LargeVector<BodyChange>& row : weights) row.resize(moment.model.bodies.size());
    for (const WishRows::ByBody& by : found.bodies) {
        Motion& place = weights[static_cast<std::size_t>(by.row)][by.body].place;
        place = place + Motion::from(by.slope);
    }
    for (const WishRows::ByVelocity& by : found.velocities)
        addVelocitySlope(by, wish, moment.state, weights[static_cast<std::size_t>(by.row)]);
    const int first = static_cast<int>(rows.rows.size());
    for (std::size_t r = 0; r < found.residual.size(); ++r)
        moment.addRow(kind, name, found.residual[r], factor, weights[r], rows);
    if (!rows.derivatives()) return;
    for (const WishRows::ByFreedom& by : found.freedoms) rows.slope(first + by.row)[by.freedom] += by.slope;
}

class Planner {
public:
    Planner(const Description& description, const PlanDescription& plan, PlannedScene& out)
        : description_(description), plan_(plan), out_(out), problem_(out.problem)
    {
    }

    std::optional<Diagnostic> make()
    {
        Description bare = description_;
        bare.contact.reset();
        bare.obstacles.clear();
        Result<Model> model = compile(bare);
        if (!model) return model.error();
        // Limits are conditions here, and not the stiff springs beyond them; those of ball joints stay
        // springs.
        for (Joint& joint : model.value().joints)
            if (!joint.info().hasRotation) joint.limitStiffness = 0;
        out_.model = std::make_shared<const Model>(std::move(model.value()));
        model_ = out_.model.get();
        const std::string unsupported = derivativesUnsupported(*model_);
        if (!unsupported.empty()) return at("", unsupported);
        if (!model_->meshes.empty()) return at("", "spring meshes cannot be planned for");
        if (!model_->settings.empty())
            return faultAt("/switches", "set numbers of joints, which cannot be planned for");
        Result<State> start = initialState(*model_, bare);
        if (!start) return start.error();
        problem_.model = model_;
        problem_.base = std::move(start.value());
        if (auto fault = checkNumbers()) return fault;
        problem_.duration = plan_.duration;
        problem_.forceCost = plan_.force;
        problem_.powerCost = plan_.power;
        problem_.accelerationCost = plan_.acceleration;
        problem_.setUnits();
        for (auto part : {&Planner::setDrives, &Planner::setStart, &Planner::setStill, &Planner::setWishes,
                          &Planner::setContacts, &Planner::setHolds, &Planner::setClearances})
            if (auto fault = (this->*part)()) return fault;
        out_.guess = stillPlan(problem_, plan_.piece, plan_.points);
        return setGuess();
    }

private:
    using Fault = std::optional<Diagnostic>;

    Diagnostic at(const std::string& place, const std::string& what) const
    {
        Diagnostic fault;
        fault.pointer = "/optimize" + place;
        fault.message = what;
        return fault;
    }
    Fault checkNumbers() const
    {
        const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
        if (!positive(plan_.duration)) return at("/duration", "must be positive");
        if (!positive(plan_.piece)) return at("/piece", "must be positive");
        if (plan_.duration / plan_.piece > 10000) return at("/piece", "makes more than 10000 pieces");
        for (const double cost : {plan_.force, plan_.power, plan_.acceleration})
            if (!(std::isfinite(cost) && cost >= 0)) return at("/minimize", "weights must not be negative");
        if (plan_.force + plan_.power + plan_.acceleration == 0)
            return at("/minimize", "needs a weight that is not zero");
        return {};
    }
    Fault checkTime(double time, const std::string& place) const
    {
        if (std::isfinite(time) && time >= 0 && time <= plan_.duration) return {};
        return at(place, "must lie in the duration, from 0 to " + std::to_string(plan_.duration) + " s");
    }
    Fault findBody(const std::string& name, const std::string& place, int& body) const
    {
        const Result<BodyHandle> found = sinew::findBody(*model_, name);
        if (!found || found.value().link < 0)
            return at(place, found ? "must be a body" : found.error().message);
        body = found.value().link;
        return {};
    }
    Fault findJoint(const std::string& name, const std::string& place, int& link) const
    {
        const Result<JointHandle> found = sinew::findJoint(*model_, name);
        if (!found) return at(place, found.error().message);
        link = found.value().link;
        return {};
    }
    Vec3 inBody(int body, const Vec3& atRest) const { return model_->bodies[body].rest.inverse() * atRest; }

    Fault setDrives()
    {
        const int n = model_->freedomCount;
        problem_.isDriven.assign(static_cast<std::size_t>(n), 0);
        problem_.forceWeight.assign(static_cast<std::size_t>(n), 1);
        problem_.upper = VecX::Zero(n);
        for (double& limit : problem_.upper) limit = std::numeric_limits<double>::infinity();
        const auto drive = [&](int link, double limit, double cost) {
            const Joint& joint = model_->joints[link];
            for (int k = 0; k < joint.freedoms(); ++k) {
                problem_.isDriven[static_cast<std::size_t>(joint.u + k)] = 1;
                problem_.forceWeight[static_cast<std::size_t>(joint.u + k)] = cost;
                problem_.upper[joint.u + k] = limit;
            }
        };
        const double none = std::numeric_limits<double>::infinity();
        if (plan_.drives.empty())
            for (int i = 0; i < model_->size(); ++i)
                if (model_->joints[i].isArticulated()) drive(i, none, 1);
        for (std::size_t d = 0; d < plan_.drives.size(); ++d) {
            const PlanDescription::Drive& given = plan_.drives[d];
            const std::string place = "/drives/" + std::to_string(d);
            if (given.joint.empty() == given.body.empty()) return at(place, "needs a joint or a body");
            if (given.limit && !(*given.limit > 0)) return at(place + "/limit", "must be positive");
            if (!(std::isfinite(given.cost) && given.cost >= 0))
                return at(place + "/cost", "must not be negative");
            int link = -1;
            if (auto fault = given.body.empty() ? findJoint(given.joint, place, link)
                                                : findBody(given.body, place, link))
                return fault;
            if (!given.body.empty() && !model_->joints[link].isFree())
                return at(place, "body '" + given.body + "' does not float: name its joint");
            drive(link, given.limit.value_or(none), given.cost);
        }
        problem_.lower = -problem_.upper;
        return {};
    }

    Fault setStart()
    {
        if (plan_.start == PlanDescription::Start::free) return {};
        MotionCondition pose = poseIs(*model_, problem_.base.q, 0);
        pose.name = "starts in the pose of the scene";
        problem_.conditions.push_back(pose);
        if (plan_.start == PlanDescription::Start::pose) return {};
        MotionCondition speed = velocityIs(*model_, problem_.base.u, 0, problem_.duration);
        speed.name = "starts with the velocities of the scene";
        problem_.conditions.push_back(speed);
        return {};
    }

    Fault setStill()
    {
        for (std::size_t s = 0; s < plan_.still.size(); ++s) {
            const PlanDescription::Still& still = plan_.still[s];
            const std::string place = "/still/" + std::to_string(s);
            if (auto fault = checkTime(still.time, place)) return fault;
            const VecX zero = VecX::Zero(model_->freedomCount);
            if (still.joints.empty()) {
                MotionCondition condition = velocityIs(*model_, zero, still.time, problem_.duration);
                condition.name = "still at " + timeText(still.time);
                problem_.conditions.push_back(condition);
            }
            for (const std::string& name : still.joints) {
                int link = -1;
                if (auto fault = findJoint(name, place + "/joints", link)) return fault;
                MotionCondition condition = jointMoves(*model_, link, zero.data() + model_->joints[link].u,
                                                       still.time, problem_.duration);
                condition.name = name + " still at " + timeText(still.time);
                problem_.conditions.push_back(condition);
            }
        }
        return {};
    }
    static std::string timeText(double time)
    {
        std::string text = std::to_string(time);
        while (text.back() == '0') text.pop_back();
        if (text.back() == '.') text.pop_back();
        return text + " s";
    }

    Fault setWishes()
    {
        for (std::size_t w = 0; w < model_->wishes.size(); ++w) {
            const Wish& wish = model_->wishes[w];
            if (wish.acts) continue;
            if (wish.from > plan_.duration || wish.until < 0) {
                Diagnostic fault;
                fault.pointer = "/wishes/" + std::to_string(wish.source);
                fault.message = "is for times outside the duration, from 0 to " + timeText(plan_.duration);
                return fault;
            }
            problem_.conditions.push_back(wishCondition(*model_, static_cast<int>(w), plan_.duration));
        }
        return {};
    }

    Fault setContacts()
    {
        for (std::size_t c = 0; c < plan_.contacts.size(); ++c) {
            const PlanDescription::Contact& given = plan_.contacts[c];
            const std::string place = "/contacts/" + std::to_string(c);
            ContactPhase phase;
            phase.name = given.name.empty() ? given.body + " " + std::to_string(c + 1) : given.name;
            if (auto fault = findBody(given.body, place + "/body", phase.body)) return fault;
            if (auto fault = checkTime(given.from, place + "/from")) return fault;
            if (auto fault = checkTime(given.until, place + "/until")) return fault;
            if (!(given.until > given.from)) return at(place + "/until", "must be after from");
            if (given.points.empty()) return at(place + "/points", "needs a point");
            if (!(given.normal.norm() > 0)) return at(place + "/normal", "must have a length");
            if (!(std::isfinite(given.friction) && given.friction > 0))
                return at(place + "/friction", "must be positive");
            phase.from = given.from;
            phase.until = given.until;
            for (const Vec3& point : given.points) phase.points.push_back(inBody(phase.body, point));
            phase.normal = given.normal.normalized();
            phase.height = given.height;
            phase.friction = given.friction;
            problem_.phases.push_back(phase);
        }
        return {};
    }

    Fault setHolds()
    {
        for (std::size_t h = 0; h < plan_.holds.size(); ++h) {
            const PlanDescription::Hold& given = plan_.holds[h];
            const std::string place = "/holds/" + std::to_string(h);
            ContactPhase phase;
            phase.name = given.name.empty() ? given.body : given.name;
            if (auto fault = findBody(given.body, place + "/body", phase.body)) return fault;
            if (auto fault = findBody(given.by, place + "/by", phase.holder)) return fault;
            if (phase.body == phase.holder) return at(place + "/by", "must be another body");
            if (auto fault = checkTime(given.from, place + "/from")) return fault;
            if (auto fault = checkTime(given.until, place + "/until")) return fault;
            if (!(given.until > given.from)) return at(place + "/until", "must be after from");
            phase.from = given.from;
            phase.until = given.until;
            phase.held = model_->bodies[phase.holder].rest.inverse() * model_->bodies[phase.body].rest;
            problem_.phases.push_back(phase);
        }
        return {};
    }

    Fault setClearances()
    {
        for (std::size_t c = 0; c < plan_.clearances.size(); ++c) {
            const PlanDescription::Clearance& given = plan_.clearances[c];
            const std::string place = "/clear/" + std::to_string(c);
            Clearance clearance;
            clearance.name = given.name.empty() ? given.body : given.name;
            if (auto fault = findBody(given.body, place + "/body", clearance.body)) return fault;
            if (!(given.normal.norm() > 0)) return at(place + "/normal", "must have a length");
            if (given.point) clearance.point = inBody(clearance.body, *given.point);
            clearance.normal = given.normal.normalized();
            clearance.height = given.height;
            problem_.clearances.push_back(clearance);
        }
        return {};
    }

    Fault placeBody(const PlanDescription::Guess::Place& given, const std::string& place, VecX& q) const
    {
        int body = -1;
        if (auto fault = findBody(given.body, place, body)) return fault;
        State state = problem_.base;
        state.q = q;
        bodiesFromJoints(*model_, state);
        BodyMotion motion;
        const BodyState& now = state.bodies[body];
        motion.pose.orientation = given.orientation.value_or(now.orientation);
        motion.pose.position =
            given.position.value_or(now.position - now.orientation * model_->bodies[body].center);
        if (auto fault = setBodyMotion(*model_, BodyHandle{body}, motion, state))
            return at(place, fault->message);
        q = state.q;
        return {};
    }

    Fault setGuess()
    {
        if (plan_.guess.empty()) return {};
        std::vector<KeyPose> keys = {{0, problem_.base.q}};
        VecX q = problem_.base.q;
        for (std::size_t g = 0; g < plan_.guess.size(); ++g) {
            const PlanDescription::Guess& given = plan_.guess[g];
            const std::string place = "/guess/" + std::to_string(g);
            if (auto fault = checkTime(given.time, place + "/time")) return fault;
            if (given.time < keys.back().time)
                return at(place + "/time", "must not be before the one before it");
            for (const auto& [name, numbers] : given.joints) {
                int link = -1;
                if (auto fault = findJoint(name, place + "/joints", link)) return fault;
                const Joint& joint = model_->joints[link];
                if (static_cast<int>(numbers.size()) != joint.freedoms() || joint.isFree())
                    return at(
                        place + "/joints/" + name,
                        "needs " + std::to_string(joint.isFree() ? 0 : joint.freedoms()) + " numbers");
                const VecX still = VecX::Zero(6);
                VecX u = still;
                setDescribed(joint, numbers.data(), still.data(), q.data() + joint.q, u.data());
            }
            for (const PlanDescription::Guess::Place& given : given.bodies)
                if (auto fault = placeBody(given, place + "/bodies/" + given.body, q)) return fault;
            if (given.time == 0) keys.clear();
            keys.push_back({given.time, q});
        }
        followKeys(problem_, keys, out_.guess);
        return {};
    }

    const Description& description_;
    const PlanDescription& plan_;
    PlannedScene& out_;
    MotionProblem& problem_;
    const Model* model_ = nullptr;
};

}  // namespace

MotionCondition wishCondition(const Model& model, int number, double duration)
{
    const Wish& wish = model.wishes[static_cast<std::size_t>(number)];
    MotionCondition condition;
    condition.name = wishLabel(wish);
    condition.time = std::max(0., wish.from);
    condition.until = std::min(duration, wish.until);
    condition.weight = wish.soft ? wish.weight : 0;
    if (!wish.soft && wish.side != WishDescription::Side::both) {
        // An inequality, smooth on both sides of where it begins to hold.
        const double sign = wish.side == WishDescription::Side::atLeast ? -1 : 1;
        Wish level = wish;
        level.side = WishDescription::Side::both;
        condition.addRows = [level, sign](const MotionMoment& moment, RowKind, int name, double factor,
                                          MotionRows& rows) {
            addWishRows(level, moment, RowKind::below, name, factor, sign, rows);
        };
        return condition;
    }
    condition.addRows = [number](const MotionMoment& moment, RowKind kind, int name, double factor,
                                 MotionRows& rows) {
        addWishRows(moment.model.wishes[static_cast<std::size_t>(number)], moment, kind, name, factor, 1,
                    rows);
    };
    return condition;
}

Result<PlannedScene> plannedScene(const Description& description)
{
    if (!description.plan) {
        Diagnostic fault;
        fault.message = "says nothing under \"optimize\": at least a duration is needed";
        return fault;
    }
    PlannedScene scene;
    if (auto fault = Planner(description, *description.plan, scene).make())
        return asWritten(std::move(*fault), description);
    return scene;
}

}  // namespace sinew
