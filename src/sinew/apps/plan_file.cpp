#include "sinew/apps/plan_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sinew/apps/run_files.h"
#include "sinew/io/csv/trajectory_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/json.h"
#include "sinew/optimize/motion_contact.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

template <class Numbers>
json::Value numbersOf(const Numbers& numbers)
{
    json::Value list = json::Value::array();
    for (const double x : numbers) list.add(x);
    return list;
}

// Reads the file with the place in it at hand, for messages. After the first fault nothing is read.
class PlanReader {
public:
    PlanReader(const std::string& path, const Model& model) : path_(path), model_(model) {}

    Result<EarlierPlan> read()
    {
        Result<std::string> text = json::readFile(path_);
        if (!text) return text.error();
        Result<json::Value> parsed = json::parse(text.value(), path_);
        if (!parsed) return parsed.error();
        const json::Value& file = parsed.value();
        const json::Value* mark = file.isObject() ? file.find("sinew_plan") : nullptr;
        if (!mark) return fileError(path_, "is no plan of `sinew optimize`: there is no \"sinew_plan\"");
        if (!mark->isNumber() || mark->number() != 1)
            return fileError(path_, "is a plan of another version: \"sinew_plan\" must be 1");
        readJoints(file);
        const double points = number(file, "", "points");
        if (!fault_ && (points < 1 || points > mostStages || points != std::floor(points)))
            fail("/points", "must be 1, 2, 3 or 4");
        if (fault_) return *fault_;
        earlier_.plan.points = GaussPoints::of(static_cast<int>(points));
        earlier_.plan.weight = number(file, "", "weight");
        earlier_.plan.costs = number(file, "", "costs");
        if (!(earlier_.plan.weight >= 0)) fail("/weight", "must not be negative");
        if (!(earlier_.plan.costs > 0)) fail("/costs", "must be positive");
        readPhases(file);
        if (const json::Value* start = part(file, "", "start")) readStart(*start);
        readPieces(file);
        numbers(file, "", "last_moment", -1, earlier_.plan.lastMultipliers);
        if (fault_) return *fault_;
        return std::move(earlier_);
    }

private:
    void fail(const std::string& place, const std::string& what)
    {
        if (!fault_) fault_ = fileError(path_, place + ": " + what);
    }
    const json::Value* part(const json::Value& of, const std::string& place, const char* key)
    {
        if (fault_) return nullptr;
        const json::Value* found = of.isObject() ? of.find(key) : nullptr;
        if (!found) fail(place.empty() ? "/" : place, fmt::format("needs \"{}\"", key));
        return found;
    }
    double number(const json::Value& of, const std::string& place, const char* key)
    {
        const json::Value* found = part(of, place, key);
        if (found && !found->isNumber()) fail(place + "/" + key, "must be a number");
        return fault_ ? 0 : found->number();
    }
    // So many of them, or any number if that is negative.
    template <class Numbers>
    void numbers(const json::Value& of, const std::string& place, const char* key, int count, Numbers& out)
    {
        const json::Value* found = part(of, place, key);
        if (!found) return;
        const std::string here = place + "/" + key;
        if (!found->isArray() || (count >= 0 && found->items().size() != static_cast<std::size_t>(count)))
            return fail(here, count >= 0 ? fmt::format("must be a list of {} numbers", count)
                                         : "must be a list of numbers");
        using Size = decltype(out.size());
        out.resize(static_cast<Size>(found->items().size()));
        Size i = 0;
        for (const json::Value& item : found->items()) {
            if (!item.isNumber()) return fail(here, "must be a list of numbers");
            out[i++] = item.number();
        }
    }

    void readJoints(const json::Value& file)
    {
        const json::Value* joints = part(file, "", "joints");
        if (!joints) return;
        if (!joints->isObject()) return fail("/joints", "must be an object");
        const auto& members = joints->members();
        for (int i = 0; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            const std::size_t k = static_cast<std::size_t>(i);
            const bool isSame = k < members.size() && members[k].key == joint.name &&
                                members[k].value.isNumber() &&
                                members[k].value.number() == joint.freedoms();
            if (!isSame)
                return fail("/joints",
                            fmt::format("is a plan for another figure: the scene has joint '{}' with {} "
                                        "freedoms here",
                                        joint.name, joint.freedoms()));
        }
        if (members.size() != static_cast<std::size_t>(model_.size()))
            fail("/joints", fmt::format("is a plan for another figure: the scene has no joint '{}'",
                                        members[static_cast<std::size_t>(model_.size())].key));
    }

    void readPhases(const json::Value& file)
    {
        const json::Value* contacts = part(file, "", "contacts");
        if (!contacts) return;
        if (!contacts->isArray()) return fail("/contacts", "must be a list");
        for (std::size_t i = 0; i < contacts->items().size(); ++i) {
            const json::Value& one = contacts->items()[i];
            const std::string place = fmt::format("/contacts/{}", i);
            ContactPhase phase;
            const json::Value* name = part(one, place, "name");
            if (name && !name->isString()) fail(place + "/name", "must be a string");
            if (fault_) return;
            phase.name = name->string();
            phase.from = number(one, place, "from");
            phase.until = number(one, place, "until");
            const double places = number(one, place, "places");
            const json::Value* hold = part(one, place, "hold");
            if (hold && hold->kind() != json::Kind::boolean) fail(place + "/hold", "must be true or false");
            if (fault_) return;
            if (hold->boolean()) phase.holder = 0;
            if (!(places >= 1 && places <= 1000) || places != std::floor(places) ||
                (hold->boolean() && places != 2))
                return fail(place + "/places", "must be the number of places");
            if (!phase.isHold()) phase.points.resize(static_cast<std::size_t>(places));
            earlier_.phases.push_back(phase);
        }
    }

    void readStart(const json::Value& start)
    {
        PieceStart& out = earlier_.plan.start;
        numbers(start, "/start", "q", model_.coordinateCount, out.q);
        numbers(start, "/start", "u", model_.freedomCount, out.u);
        if (fault_) return;
        for (const Joint& joint : model_.joints) {
            if (!joint.info().hasRotation) continue;
            const double* q = out.q.data() + joint.q + joint.info().plain();
            const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
            if (!(std::abs(length - 1) < 1e-6))
                return fail("/start/q", "the turn of joint '" + joint.name + "' must be of length one");
        }
    }

    void readPieces(const json::Value& file)
    {
        const json::Value* pieces = part(file, "", "pieces");
        if (!pieces) return;
        if (!pieces->isArray() || pieces->items().empty())
            return fail("/pieces", "must be a list of pieces");
        const int stages = earlier_.plan.points.stages;
        double time = 0;
        for (std::size_t i = 0; i < pieces->items().size() && !fault_; ++i) {
            const json::Value& one = pieces->items()[i];
            const std::string place = fmt::format("/pieces/{}", i);
            MotionPiece piece;
            piece.start = number(one, place, "start");
            piece.length = number(one, place, "length");
            if (!fault_ && !(std::abs(piece.start - time) < 1e-9))
                fail(place + "/start", fmt::format("must be {}, where the piece before it ends", time));
            if (!fault_ && !(piece.length > 0)) fail(place + "/length", "must be positive");
            if (fault_) return;
            int places = 0;
            for (const ContactPhase& phase : earlier_.phases)
                if (phase.isOn(piece.start + 0.5 * piece.length)) places += placesOf(phase);
            numbers(one, place, "y", stages * model_.freedomCount, piece.y);
            numbers(one, place, "contact", stages * 3 * places, piece.contact);
            numbers(one, place, "multipliers", -1, piece.multipliers);
            numbers(one, place, "moment", -1, piece.momentMultipliers);
            piece.forces = VecX::Zero(stages * model_.freedomCount);
            time = piece.start + piece.length;
            earlier_.plan.pieces.push_back(std::move(piece));
        }
    }

    const std::string& path_;
    const Model& model_;
    EarlierPlan earlier_;
    std::optional<Diagnostic> fault_;
};

// A recorded motion in the coordinates of the figure, which must be able to move so.
Result<std::vector<KeyPose>> recordedPoses(const std::string& path, const MotionProblem& problem)
{
    const Model& model = *problem.model;
    Result<Trajectory> motion = readTrajectory(path, model);
    if (!motion) return motion.error();
    std::vector<KeyPose> poses;
    State state = problem.base;
    for (const Frame& frame : motion.value()) {
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            const int body = model.bodyOrder[b];
            const Pose& pose = frame.bodies[b];
            BodyState& to = state.bodies[body];
            to.orientation = pose.orientation.normalized();
            to.position = pose.position + to.orientation * model.bodies[body].center;
            to.velocity = to.angularVelocity = Vec3::Zero();
        }
        const LargeVector<BodyState> given = state.bodies;
        jointsFromBodies(model, state);
        bodiesFromJoints(model, state);
        constexpr double part = 1e-3;  // of the figure: springs of stiff joints give that much
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            const int body = model.bodyOrder[b];
            const double off = (state.bodies[body].position - given[body].position).norm();
            if (off > part * problem.length)
                return fileError(path, fmt::format("row {}: body '{}' is {:.3g} m from where the joints of "
                                                   "the scene allow it to be",
                                                   poses.size() + 1, model.bodies[body].name, off));
        }
        poses.push_back({frame.time, state.q});
    }
    return poses;
}

}  // namespace

std::string planText(const MotionProblem& problem, const MotionPlan& plan)
{
    using json::Value;
    Value file = Value::object();
    file.add("sinew_plan", 1);
    Value joints = Value::object();
    for (const Joint& joint : problem.model->joints) joints.add(joint.name, joint.freedoms());
    file.add("joints", std::move(joints));
    file.add("points", plan.points.stages);
    file.add("weight", plan.weight);
    file.add("costs", plan.costs);
    Value contacts = Value::array();
    for (const ContactPhase& phase : problem.phases) {
        Value one = Value::object();
        one.add("name", phase.name);
        one.add("from", phase.from);
        one.add("until", phase.until);
        one.add("places", placesOf(phase));
        one.add("hold", phase.isHold());
        contacts.add(std::move(one));
    }
    file.add("contacts", std::move(contacts));
    Value start = Value::object();
    start.add("q", numbersOf(plan.start.q));
    start.add("u", numbersOf(plan.start.u));
    file.add("start", std::move(start));
    Value pieces = Value::array();
    for (const MotionPiece& piece : plan.pieces) {
        Value one = Value::object();
        one.add("start", piece.start);
        one.add("length", piece.length);
        one.add("y", numbersOf(piece.y));
        one.add("contact", numbersOf(piece.contact));
        one.add("multipliers", numbersOf(piece.multipliers));
        one.add("moment", numbersOf(piece.momentMultipliers));
        pieces.add(std::move(one));
    }
    file.add("pieces", std::move(pieces));
    file.add("last_moment", numbersOf(plan.lastMultipliers));
    return json::writeLine(file) + "\n";
}

Result<EarlierPlan> readPlan(const std::string& path, const Model& model)
{
    Result<EarlierPlan> earlier = PlanReader(path, model).read();
    if (!earlier) return earlier;
    MotionProblem bare;
    bare.model = &model;
    placeNodes(bare, earlier.value().plan);
    return earlier;
}

std::optional<Diagnostic> startFrom(const std::string& path, double longestPiece, PlannedScene& scene)
{
    namespace fs = std::filesystem;
    std::error_code error;
    const RunFiles files(path);
    const bool isFolder = fs::is_directory(path, error);
    if (isFolder && !fs::exists(files.motion, error) && !fs::exists(files.trajectory, error))
        return fileError(path, "holds neither plan.json nor trajectory.csv");
    const bool isPlan = isFolder ? fs::exists(files.motion, error) : fs::path(path).extension() == ".json";
    if (isPlan) {
        const Result<EarlierPlan> earlier = readPlan(isFolder ? files.motion : path, *scene.model);
        if (!earlier) return earlier.error();
        scene.guess = followedPlan(scene.problem, earlier.value(), longestPiece);
        return {};
    }
    Result<std::vector<KeyPose>> poses = recordedPoses(isFolder ? files.trajectory : path, scene.problem);
    if (!poses) return poses.error();
    followFrames(scene.problem, poses.value(), scene.guess);
    // It was a motion: conditions may weigh more from the beginning than those of a guess.
    constexpr double weight = 100;
    scene.guess.weight = weight;
    return {};
}

}  // namespace sinew
