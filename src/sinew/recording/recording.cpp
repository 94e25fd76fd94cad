// Interactions ↔ lines of JSON.
#include "sinew/recording/recording.h"

#include <cmath>

#include "sinew/base/hash.h"
#include "sinew/io/file_error.h"
#include "sinew/io/json/reader.h"

namespace sinew {
namespace {

using json::Value;
using reading::Key;
using reading::key;
using reading::Keys;
using reading::Reader;
using Action = Interaction::Action;

constexpr double mostSteps = 0x1p53;  // every whole number up to here is a double

// ---- reading ------------------------------------------------------------------------------------

bool readSteps(Reader& reader, const Value& value, std::uint64_t& out)
{
    double number = 0;
    if (!reader.read(value, number)) return false;
    if (!(number >= 0 && number <= mostSteps && number == std::trunc(number)))
        return reader.fail("must be a whole number, zero or more, not " + json::numberText(number));
    out = static_cast<std::uint64_t>(number);
    return true;
}

bool readHash(Reader& reader, const Value& value, std::optional<std::uint64_t>& out)
{
    std::string text;
    if (!reader.read(value, text)) return false;
    std::uint64_t hash = 0;
    bool good = text.size() == 16;
    for (char c : text) {
        const std::size_t digit = std::string_view("0123456789abcdef").find(c);
        good = good && digit != std::string_view::npos;
        hash = hash << 4 | (digit & 15);
    }
    out = hash;
    return good || reader.fail("must be 16 hexadecimal digits, not " + words::quoted(text));
}

// What has nothing to say but that it happens.
bool readTrue(Reader& reader, const Value& value)
{
    bool is = false;
    return reader.read(value, is) && (is || reader.fail("must be true, or be left out"));
}

// The object that a line is.
bool parseLine(Reader& reader, std::string_view text, Value& out)
{
    Result<Value> value = json::parse(text, {});
    if (!value) return reader.failAt(value.error().column, value.error().message);
    out = std::move(value.value());
    return out.isObject() || reader.failKind("an object", out);
}

bool readAction(Reader& reader, const Value& value, Interaction::Grab& out)
{
    using G = Interaction::Grab;
    static const Keys<G> keys = {key<G, &G::body>("body", true), key<G, &G::point>("point"),
                                 key<G, &G::place>("to", true)};
    return reader.object(value, keys, out, "a grab");
}
bool readAction(Reader& reader, const Value& value, Interaction::MoveGrab& out)
{
    return reader.read(value, out.place);
}
bool readAction(Reader& reader, const Value& value, Interaction::Release&)
{
    return readTrue(reader, value);
}
bool readAction(Reader& reader, const Value& value, Interaction::Push& out)
{
    using P = Interaction::Push;
    static const Keys<P> keys = {key<P, &P::body>("body", true), key<P, &P::point>("point"),
                                 key<P, &P::impulse>("impulse", true)};
    return reader.object(value, keys, out, "a push");
}
bool readAction(Reader& reader, const Value& value, Interaction::Change& out)
{
    using C = Interaction::Change;
    static const Keys<C> keys = {key<C, &C::gravity>("gravity"),
                                 key<C, &C::stiffnessFactor>("stiffness_factor"),
                                 key<C, &C::dampingFactor>("damping_factor"),
                                 key<C, &C::addedStiffness>("added_stiffness"),
                                 key<C, &C::addedDamping>("added_damping"),
                                 key<C, &C::torques>("torques")};
    return reader.object(value, keys, out, "a change");
}
// A choice by its name, which is looked up when it is made.
template <auto member>
Key<Settings> nameKey(std::string_view name)
{
    return {name, [](Reader& reader, const Value& value, Settings& out) {
                std::string text;
                if (!reader.read(value, text)) return false;
                out.*member = std::move(text);
                return true;
            }};
}
bool readAction(Reader& reader, const Value& value, Interaction::Choose& out)
{
    using S = Settings;
    static const Keys<S> keys = {
        nameKey<&S::solver>("solver"),           nameKey<&S::integrator>("integrator"),
        nameKey<&S::coordinates>("coordinates"), key<S, &S::step>("step"),
        key<S, &S::slowBand>("slow_band"),       key<S, &S::spread>("spread"),
        key<S, &S::tolerance>("tolerance")};
    return reader.object(value, keys, out.settings, "a choice");
}
bool readAction(Reader& reader, const Value& value, Interaction::Reset&)
{
    return readTrue(reader, value);
}
bool readAction(Reader& reader, const Value& value, Interaction::AimTarget& out)
{
    using A = Interaction::AimTarget;
    static const Keys<A> keys = {key<A, &A::body>("body", true), key<A, &A::position>("position"),
                                 key<A, &A::orientation>("orientation"), key<A, &A::over>("over")};
    return reader.object(value, keys, out, "a target");
}

bool readAction(Reader& reader, const Value& value, Interaction::Torque& out)
{
    using T = Interaction::Torque;
    static const Keys<T> keys = {key<T, &T::joint>("joint", true), key<T, &T::torque>("torque", true)};
    return reader.object(value, keys, out, "a torque");
}
bool readAction(Reader& reader, const Value& value, Interaction::Control& out)
{
    using C = Interaction::Control;
    static const Keys<C> keys = {key<C, &C::joint>("joint", true), key<C, &C::target>("target"),
                                 key<C, &C::stiffness>("stiffness"), key<C, &C::damping>("damping")};
    return reader.object(value, keys, out, "a control");
}

bool readAction(Reader& reader, const Value& value, Interaction::SetJoint& out)
{
    using J = Interaction::SetJoint;
    static const Keys<J> keys = reading::settingKeys<J>({key<J, &J::joint>("joint", true)});
    return reader.object(value, keys, out, "a joint");
}
bool readAction(Reader& reader, const Value& value, Interaction::Motor& out)
{
    using M = Interaction::Motor;
    static const Keys<M> keys = {key<M, &M::joint>("joint", true), key<M, &M::target>("target"),
                                 key<M, &M::speed>("speed"),       key<M, &M::stiffness>("stiffness"),
                                 key<M, &M::damping>("damping"),   key<M, &M::strength>("strength")};
    return reader.object(value, keys, out, "a motor");
}
bool readAction(Reader& reader, const Value& value, Interaction::Switch& out)
{
    using S = Interaction::Switch;
    static const Keys<S> keys = {key<S, &S::joint>("joint"), key<S, &S::active>("active", true)};
    return reader.object(value, keys, out, "a switch");
}
bool readStrengths(Reader& reader, const Value& value, Interaction::Balance& out)
{
    using S = Interaction::Balance::Strength;
    static const Keys<S> keys = {key<S, &S::stiffness>("stiffness"), key<S, &S::damping>("damping"),
                                 key<S, &S::limit>("limit")};
    return reader.named(value, out.joints, [&](const Value& one, const std::string& name, S& strength) {
        strength.joint = name;
        return reader.object(one, keys, strength, "the strength of a joint");
    });
}
bool readAction(Reader& reader, const Value& value, Interaction::Balance& out)
{
    using B = Interaction::Balance;
    using S = B::Step;
    static const Keys<S> step = {key<S, &S::time>("time"), key<S, &S::lift>("lift"),
                                 key<S, &S::reach>("reach"), key<S, &S::width>("width"),
                                 key<S, &S::further>("further")};
    static const Keys<B> keys = {
        key<B, &B::body>("body", true),
        key<B, &B::stiffness>("stiffness"),
        key<B, &B::damping>("damping"),
        key<B, &B::sole>("sole"),
        {"step", [](Reader& r, const Value& one,
                    B& to) { return r.object(one, step, to.step.emplace(), "a step"); }},
        {"joints", readStrengths},
    };
    return reader.object(value, keys, out, "a balance");
}
bool readPoses(Reader& reader, const Value& value, Interaction::Gait& out)
{
    using P = Interaction::Gait::Pose;
    return reader.named(value, out.pose, [&](const Value& one, const std::string& name, P& pose) {
        pose.joint = name;
        if (one.isNumber()) return reader.read(one, pose.coordinate.emplace_back());
        return reader.read(one, pose.coordinate);
    });
}
bool readAction(Reader& reader, const Value& value, Interaction::Gait& out)
{
    using G = Interaction::Gait;
    static const Keys<G> keys = {
        key<G, &G::body>("body", true),
        key<G, &G::state>("state"),
        key<G, &G::time>("time"),
        key<G, &G::lean>("lean"),
        key<G, &G::distance>("distance"),
        key<G, &G::speed>("speed"),
        {"pose", readPoses},
        key<G, &G::from>("from"),
        key<G, &G::until>("until"),
        key<G, &G::heading>("heading"),
    };
    return reader.object(value, keys, out, "a gait");
}

bool readAction(Reader& reader, const Value& value, Interaction::Restore&)
{
    return readTrue(reader, value);
}

// What a line says: one thing, if it is right.
struct Said {
    std::vector<Action> actions;
    bool quit = false;
    std::uint64_t step = 0;
};

template <class T>
Key<Said> verb(std::string_view name)
{
    return {name, [](Reader& reader, const Value& value, Said& out) {
                T action;
                if (!readAction(reader, value, action)) return false;
                out.actions.push_back(std::move(action));
                return true;
            }};
}

// The verbs, and one key more.
Keys<Said> verbsAnd(Key<Said> more)
{
    return {verb<Interaction::Grab>("grab"),
            verb<Interaction::MoveGrab>("move"),
            verb<Interaction::Release>("release"),
            verb<Interaction::Push>("push"),
            verb<Interaction::Change>("change"),
            verb<Interaction::Choose>("choose"),
            verb<Interaction::Reset>("reset"),
            verb<Interaction::AimTarget>("target"),
            verb<Interaction::Torque>("torque"),
            verb<Interaction::Control>("control"),
            verb<Interaction::SetJoint>("joint"),
            verb<Interaction::Motor>("motor"),
            verb<Interaction::Switch>("switch"),
            verb<Interaction::Balance>("balance"),
            verb<Interaction::Gait>("gait"),
            verb<Interaction::Restore>("restore"),
            more};
}

bool readOneThing(Reader& reader, const Value& value, const Keys<Said>& keys, Said& said)
{
    if (!reader.object(value, keys, said, "a line")) return false;
    return said.actions.size() + (said.quit ? 1 : 0) == 1 ||
           reader.fail(
               "one thing a line: grab, move, release, push, change, choose, reset, target, torque, "
               "control, joint, motor, switch, balance, gait or restore");
}

bool readHeader(Reader& reader, const Value& value, Recording& out)
{
    if (value.find("sinew_recording") == nullptr)
        return reader.fail("is no recording: its first line has no \"sinew_recording\"");
    using R = Recording;
    static const Keys<R> keys = {
        {"sinew_recording",
         [](Reader& version, const Value& number, R&) {
             double read = 0;
             if (!version.read(number, read)) return false;
             return read == recordingVersion ||
                    version.fail("version " + json::numberText(read) +
                                 " of recordings is not known; this program reads version " +
                                 std::to_string(recordingVersion));
         }},
        key<R, &R::scene>("scene", true),
        key<R, &R::solver>("solver", true),
        key<R, &R::integrator>("integrator", true),
        key<R, &R::step>("step", true),
        key<R, &R::slowBand>("slow_band"),
        key<R, &R::spread>("spread"),
        key<R, &R::tolerance>("tolerance"),
    };
    return reader.object(value, keys, out, "a recording");
}

bool readInteraction(Reader& reader, const Value& value, int line, Recording& out)
{
    static const Keys<Said> keys = verbsAnd(
        {"step", [](Reader& r, const Value& steps, Said& said) { return readSteps(r, steps, said.step); },
         true});
    Said said;
    if (!readOneThing(reader, value, keys, said)) return false;
    if (said.step < out.steps)
        return reader.fail("step " + std::to_string(said.step) + " comes after step " +
                           std::to_string(out.steps) + "; steps must not fall");
    out.steps = said.step;
    out.interactions.push_back({said.step, std::move(said.actions.front())});
    out.lines.push_back(line);
    return true;
}

struct End {
    std::uint64_t step = 0;
    std::optional<std::uint64_t> hash;
    bool diverged = false;
};

bool readEnd(Reader& reader, const Value& value, Recording& out)
{
    static const Keys<End> inner = {
        {"step", [](Reader& r, const Value& steps, End& end) { return readSteps(r, steps, end.step); },
         true},
        {"state_hash", [](Reader& r, const Value& text, End& end) { return readHash(r, text, end.hash); }},
        key<End, &End::diverged>("diverged"),
    };
    static const Keys<End> outer = {
        {"end",
         [](Reader& r, const Value& object, End& end) { return r.object(object, inner, end, "an end"); }},
    };
    End end;
    if (!reader.object(value, outer, end, "the last line")) return false;
    if (end.step < out.steps)
        return reader.fail("the end at step " + std::to_string(end.step) + " comes after step " +
                           std::to_string(out.steps) + "; steps must not fall");
    out.steps = end.step;
    out.endHash = end.hash;
    out.diverged = end.diverged;
    return true;
}

// ---- writing ------------------------------------------------------------------------------------

Value numberList(const double* numbers, std::size_t size)
{
    return Value::array(std::vector<Value>(numbers, numbers + size));
}
Value written(const Vec3& v)
{
    return numberList(v.data(), 3);
}
Value written(const Quat& q)
{
    return numberList(q.coeffs().data(), 4);
}
template <class T>
requires std::is_arithmetic_v<T> Value written(T x)
{
    return Value(x);
}

template <class T>
void add(Value& out, const char* key, const std::optional<T>& value)
{
    if (value) out.add(key, written(*value));
}
void add(Value& out, const char* key, const std::string& text)
{
    if (!text.empty()) out.add(key, text);
}

void addList(Value& out, const char* key, const std::vector<double>& numbers)
{
    if (!numbers.empty()) out.add(key, numberList(numbers.data(), numbers.size()));
}

struct AddAction {
    Value& line;

    void operator()(const Interaction::Grab& grab) const
    {
        Value out = Value::object();
        out.add("body", grab.body);
        add(out, "point", grab.point);
        out.add("to", written(grab.place));
        line.add("grab", std::move(out));
    }
    void operator()(const Interaction::MoveGrab& move) const { line.add("move", written(move.place)); }
    void operator()(const Interaction::Release&) const { line.add("release", true); }
    void operator()(const Interaction::Push& push) const
    {
        Value out = Value::object();
        out.add("body", push.body);
        add(out, "point", push.point);
        out.add("impulse", written(push.impulse));
        line.add("push", std::move(out));
    }
    void operator()(const Interaction::Change& change) const
    {
        Value out = Value::object();
        add(out, "gravity", change.gravity);
        add(out, "stiffness_factor", change.stiffnessFactor);
        add(out, "damping_factor", change.dampingFactor);
        add(out, "added_stiffness", change.addedStiffness);
        add(out, "added_damping", change.addedDamping);
        add(out, "torques", change.torques);
        line.add("change", std::move(out));
    }
    void operator()(const Interaction::Choose& choose) const
    {
        Value out = Value::object();
        add(out, "solver", choose.settings.solver.name());
        add(out, "integrator", choose.settings.integrator.name());
        add(out, "coordinates", choose.settings.coordinates.name());
        add(out, "step", choose.settings.step);
        add(out, "slow_band", choose.settings.slowBand);
        if (choose.settings.spread) out.add("spread", true);
        add(out, "tolerance", choose.settings.tolerance);
        line.add("choose", std::move(out));
    }
    void operator()(const Interaction::Reset&) const { line.add("reset", true); }
    void operator()(const Interaction::AimTarget& aim) const
    {
        Value out = Value::object();
        out.add("body", aim.body);
        add(out, "position", aim.position);
        add(out, "orientation", aim.orientation);
        add(out, "over", aim.over);
        line.add("target", std::move(out));
    }
    void operator()(const Interaction::Torque& torque) const
    {
        Value out = Value::object();
        out.add("joint", torque.joint);
        out.add("torque", numberList(torque.torque.data(), torque.torque.size()));
        line.add("torque", std::move(out));
    }
    void operator()(const Interaction::Control& control) const
    {
        Value out = Value::object();
        out.add("joint", control.joint);
        if (!control.target.empty())
            out.add("target", numberList(control.target.data(), control.target.size()));
        add(out, "stiffness", control.stiffness);
        add(out, "damping", control.damping);
        line.add("control", std::move(out));
    }
    void operator()(const Interaction::SetJoint& set) const
    {
        Value out = Value::object();
        out.add("joint", set.joint);
        const JointSettings& to = set.settings;
        add(out, "stiffness", to.stiffness);
        add(out, "damping", to.damping);
        addList(out, "rest", to.rest);
        addList(out, "lower", to.lower);
        addList(out, "upper", to.upper);
        add(out, "swing_limit", to.swingLimit);
        add(out, "limit_stiffness", to.limitStiffness);
        add(out, "limits", to.limits);
        addList(out, "motor", to.motor);
        line.add("joint", std::move(out));
    }
    void operator()(const Interaction::Motor& motor) const
    {
        Value out = Value::object();
        out.add("joint", motor.joint);
        addList(out, "target", motor.target);
        addList(out, "speed", motor.speed);
        add(out, "stiffness", motor.stiffness);
        add(out, "damping", motor.damping);
        add(out, "strength", motor.strength);
        line.add("motor", std::move(out));
    }
    void operator()(const Interaction::Switch& change) const
    {
        Value out = Value::object();
        add(out, "joint", change.joint);
        out.add("active", change.active);
        line.add("switch", std::move(out));
    }
    void operator()(const Interaction::Balance& balance) const
    {
        Value out = Value::object();
        out.add("body", balance.body);
        add(out, "stiffness", balance.stiffness);
        add(out, "damping", balance.damping);
        add(out, "sole", balance.sole);
        if (balance.step) {
            Value step = Value::object();
            add(step, "time", balance.step->time);
            add(step, "lift", balance.step->lift);
            add(step, "reach", balance.step->reach);
            add(step, "width", balance.step->width);
            add(step, "further", balance.step->further);
            out.add("step", std::move(step));
        }
        Value joints = Value::object();
        for (const Interaction::Balance::Strength& strength : balance.joints) {
            Value one = Value::object();
            add(one, "stiffness", strength.stiffness);
            add(one, "damping", strength.damping);
            add(one, "limit", strength.limit);
            joints.add(strength.joint, std::move(one));
        }
        if (!balance.joints.empty()) out.add("joints", std::move(joints));
        line.add("balance", std::move(out));
    }
    void operator()(const Interaction::Restore&) const { line.add("restore", true); }
    void operator()(const Interaction::Gait& gait) const
    {
        Value out = Value::object(), pose = Value::object();
        out.add("body", gait.body);
        add(out, "state", gait.state);
        add(out, "time", gait.time);
        add(out, "lean", gait.lean);
        for (const auto& [pair, name] :
             {std::pair(&gait.distance, "distance"), std::pair(&gait.speed, "speed")})
            if (*pair) out.add(name, numberList((*pair)->data(), 2));
        for (const Interaction::Gait::Pose& one : gait.pose)
            pose.add(one.joint, numberList(one.coordinate.data(), one.coordinate.size()));
        if (!gait.pose.empty()) out.add("pose", std::move(pose));
        add(out, "from", gait.from);
        add(out, "until", gait.until);
        add(out, "heading", gait.heading);
        line.add("gait", std::move(out));
    }
};

}  // namespace

Recording recordingOf(const LiveSimulation& live)
{
    Recording recording;
    recording.scene = live.simulation().model().name;
    recording.solver = live.startSettings().solver.name();
    recording.integrator = live.startSettings().integrator.name();
    recording.step = live.startSettings().step.value_or(0);
    recording.slowBand = live.startSettings().slowBand;
    recording.spread = live.startSettings().spread;
    recording.tolerance = live.startSettings().tolerance;
    recording.interactions = live.recording();
    recording.steps = live.stepsMade();
    recording.endHash = stateHash(live.simulation().state);
    recording.diverged = live.hasDiverged();
    return recording;
}

Result<Recording> parseRecording(std::string_view text, const std::string& fileName)
{
    Recording recording;
    int number = 0;
    bool begun = false, ended = false;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        Reader line(fileName, ++number);
        if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        Value value;
        bool good = parseLine(line, one, value);
        if (good && ended) {
            good = line.fail("the recording goes on after its end");
        } else if (good && !begun) {
            good = begun = readHeader(line, value, recording);
        } else if (good && value.find("end") != nullptr) {
            good = ended = readEnd(line, value, recording);
        } else if (good) {
            good = readInteraction(line, value, number, recording);
        }
        if (!good) return line.error();
    }
    if (ended) return recording;
    return fileError(
        fileName, begun ? "is cut off: its last line must be {\"end\": {\"step\": N}}, after so many steps"
                        : "is empty; a recording is expected");
}

std::string writeRecording(const Recording& recording)
{
    Value header = Value::object();
    header.add("sinew_recording", recordingVersion);
    header.add("scene", recording.scene);
    header.add("solver", recording.solver);
    header.add("integrator", recording.integrator);
    header.add("step", recording.step);
    add(header, "slow_band", recording.slowBand);
    if (recording.spread) header.add("spread", true);
    add(header, "tolerance", recording.tolerance);
    std::string text = json::writeLine(header);
    for (const Interaction& interaction : recording.interactions) {
        Value line = Value::object();
        line.add("step", interaction.step);
        std::visit(AddAction{line}, interaction.action);
        text += json::writeLine(line);
    }
    Value end = Value::object(), line = Value::object();
    end.add("step", recording.steps);
    if (recording.endHash) end.add("state_hash", hashText(*recording.endHash));
    if (recording.diverged) end.add("diverged", true);
    line.add("end", std::move(end));
    return text + json::writeLine(line);
}

Result<std::optional<Action>> parseLiveLine(std::string_view text, const std::string& fileName,
                                            int lineNumber)
{
    static const Keys<Said> keys = verbsAnd(
        {"quit", [](Reader& r, const Value& yes, Said& said) { return said.quit = readTrue(r, yes); }});
    Reader line(fileName, lineNumber);
    Said said;
    Value value;
    if (!parseLine(line, text, value) || !readOneThing(line, value, keys, said)) return line.error();
    if (said.quit) return std::optional<Action>();
    return std::optional<Action>(std::move(said.actions.front()));
}

}  // namespace sinew
