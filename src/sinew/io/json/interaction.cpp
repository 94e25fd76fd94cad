// Interactions ↔ lines of JSON.
#include "sinew/io/json/interaction.h"

#include <cmath>
#include <functional>
#include <span>

#include "sinew/base/hash.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/words.h"

namespace sinew {
namespace {

using json::Value;
using Action = Interaction::Action;

constexpr double mostSteps = 0x1p53;  // every whole number up to here is a double

// ---- reading ------------------------------------------------------------------------------------

// One line of a file. Each function gives false at the first fault, which `error` then tells.
class Line {
public:
    Line(const std::string& file, int number)
    {
        error.file = file;
        error.line = number;
    }

    Diagnostic error;

    // The object that the line is.
    bool parse(std::string_view text, Value& out)
    {
        Result<Value> value = json::parse(text, error.file);
        if (!value) {
            error.column = value.error().column;
            error.message = value.error().message;
            return false;
        }
        out = std::move(value.value());
        return out.isObject() || failKind("an object", out);
    }

    bool read(const Value& value, double& out)
    {
        if (!value.isNumber()) return failKind("a number", value);
        out = value.number();
        return true;
    }
    bool read(const Value& value, std::uint64_t& out)
    {
        double number = 0;
        if (!read(value, number)) return false;
        if (!(number >= 0 && number <= mostSteps && number == std::trunc(number)))
            return fail("must be a whole number, zero or more, not " + json::numberText(number));
        out = static_cast<std::uint64_t>(number);
        return true;
    }
    bool read(const Value& value, bool& out)
    {
        if (value.kind() != json::Kind::boolean) return failKind("true or false", value);
        out = value.boolean();
        return true;
    }
    bool read(const Value& value, std::string& out)
    {
        if (!value.isString()) return failKind("a string", value);
        out = value.string();
        return true;
    }
    bool read(const Value& value, Vec3& out)
    {
        return numbers(value, "a list of 3 numbers", {out.data(), 3});
    }
    bool read(const Value& value, Quat& out)
    {
        return numbers(value, "a quaternion of 4 numbers (x, y, z, w)", {out.coeffs().data(), 4});
    }
    template <class T>
    bool read(const Value& value, std::optional<T>& out)
    {
        return read(value, out.emplace());
    }
    // What has nothing to say but that it happens.
    bool readTrue(const Value& value)
    {
        bool is = false;
        return read(value, is) && (is || fail("must be true, or be left out"));
    }
    bool readHash(const Value& value, std::optional<std::uint64_t>& out)
    {
        std::string text;
        if (!read(value, text)) return false;
        std::uint64_t hash = 0;
        bool good = text.size() == 16;
        for (char c : text) {
            const std::size_t digit = std::string_view("0123456789abcdef").find(c);
            good = good && digit != std::string_view::npos;
            hash = hash << 4 | (digit & 15);
        }
        out = hash;
        return good || fail("must be 16 hexadecimal digits, not " + json::quoted(text));
    }

    struct Field {
        std::string_view name;
        std::function<bool(const Value&)> read;
        bool required = false;
    };
    template <class T>
    Field field(std::string_view name, T& out, bool required = false)
    {
        return {name, [this, &out](const Value& value) { return read(value, out); }, required};
    }
    bool object(const Value& value, const std::vector<Field>& fields)
    {
        if (!value.isObject()) return failKind("an object", value);
        for (const json::Member& member : value.members())
            if (!within(member.key, [&] { return readMember(member, fields); })) return false;
        for (const Field& field : fields)
            if (field.required && value.find(field.name) == nullptr)
                return fail("the key \"" + std::string(field.name) + "\" is missing");
        return true;
    }

    bool fail(std::string message)
    {
        error.message = std::move(message);
        return false;
    }

    template <class Function>
    bool within(std::string_view key, Function read)
    {
        const std::size_t before = error.pointer.size();
        error.pointer += "/" + json::printable(key);
        if (!read()) return false;
        error.pointer.resize(before);
        return true;
    }

private:
    bool failKind(const char* expected, const Value& found)
    {
        return fail(std::string(expected) + " is expected, found " + json::kindName(found.kind()));
    }
    bool numbers(const Value& value, const char* expected, std::span<double> out)
    {
        if (!value.isArray()) return failKind(expected, value);
        if (value.items().size() != out.size())
            return fail(std::string(expected) + " is expected, found " +
                        std::to_string(value.items().size()));
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!within(std::to_string(i), [&] { return read(value.items()[i], out[i]); })) return false;
        return true;
    }
    bool readMember(const json::Member& member, const std::vector<Field>& fields)
    {
        std::vector<std::string_view> legal;
        for (const Field& field : fields) {
            if (field.name == member.key) return field.read(member.value);
            legal.push_back(field.name);
        }
        const std::string_view meant = json::nearestWord(member.key, legal);
        if (!meant.empty()) return fail("unknown key; did you mean \"" + std::string(meant) + "\"?");
        return fail("unknown key; here can be " + json::joined(legal));
    }
};

// Where the one thing that a line says goes.
struct Said {
    std::vector<Action> actions;
    bool quit = false;
};

template <class T>
Line::Field verb(std::string_view name, Said& said, std::function<bool(const Value&, T&)> read)
{
    return {name, [&said, read = std::move(read)](const Value& value) {
                T action;
                if (!read(value, action)) return false;
                said.actions.push_back(std::move(action));
                return true;
            }};
}

std::vector<Line::Field> verbs(Line& line, Said& said)
{
    const auto isTrue = [&line](const Value& value, auto&) { return line.readTrue(value); };
    return {
        verb<Interaction::Grab>("grab", said,
                                [&line](const Value& value, auto& out) {
                                    return line.object(value, {line.field("body", out.body, true),
                                                               line.field("point", out.point),
                                                               line.field("to", out.place, true)});
                                }),
        verb<Interaction::MoveGrab>(
            "move", said, [&line](const Value& value, auto& out) { return line.read(value, out.place); }),
        verb<Interaction::Release>("release", said, isTrue),
        verb<Interaction::Push>("push", said,
                                [&line](const Value& value, auto& out) {
                                    return line.object(value, {line.field("body", out.body, true),
                                                               line.field("point", out.point),
                                                               line.field("impulse", out.impulse, true)});
                                }),
        verb<Interaction::Change>("change", said,
                                  [&line](const Value& value, auto& out) {
                                      return line.object(
                                          value, {line.field("gravity", out.gravity),
                                                  line.field("stiffness_factor", out.stiffnessFactor),
                                                  line.field("damping_factor", out.dampingFactor),
                                                  line.field("added_stiffness", out.addedStiffness),
                                                  line.field("added_damping", out.addedDamping),
                                                  line.field("torques", out.torques)});
                                  }),
        verb<Interaction::Choose>("choose", said,
                                  [&line](const Value& value, auto& out) {
                                      Settings& settings = out.settings;
                                      return line.object(value,
                                                         {line.field("solver", settings.solver),
                                                          line.field("integrator", settings.integrator),
                                                          line.field("coordinates", settings.coordinates),
                                                          line.field("step", settings.step)});
                                  }),
        verb<Interaction::Reset>("reset", said, isTrue),
        verb<Interaction::AimTarget>(
            "target", said,
            [&line](const Value& value, auto& out) {
                return line.object(
                    value, {line.field("body", out.body, true), line.field("position", out.position),
                            line.field("orientation", out.orientation), line.field("over", out.over)});
            }),
    };
}

bool saysOneThing(Line& line, const Said& said)
{
    return said.actions.size() + (said.quit ? 1 : 0) == 1 ||
           line.fail("one thing a line: grab, move, release, push, change, choose, reset or target");
}

bool readHeader(Line& line, const Value& value, Recording& out)
{
    if (value.find("sinew_recording") == nullptr)
        return line.fail("is no recording: its first line has no \"sinew_recording\"");
    double version = 0;
    if (!line.object(
            value, {line.field("sinew_recording", version), line.field("scene", out.scene, true),
                    line.field("solver", out.solver, true), line.field("integrator", out.integrator, true),
                    line.field("step", out.step, true)}))
        return false;
    if (version != recordingVersion)
        return line.fail("version " + json::numberText(version) +
                         " of recordings is not known; this program reads version " +
                         std::to_string(recordingVersion));
    return true;
}

bool readInteraction(Line& line, const Value& value, Recording& out)
{
    Said said;
    std::uint64_t step = 0;
    std::vector<Line::Field> fields = verbs(line, said);
    fields.push_back(line.field("step", step, true));
    if (!line.object(value, fields) || !saysOneThing(line, said)) return false;
    if (step < out.steps)
        return line.fail("step " + std::to_string(step) + " comes after step " + std::to_string(out.steps) +
                         "; steps must not fall");
    out.steps = step;
    out.interactions.push_back({step, std::move(said.actions.front())});
    out.lines.push_back(line.error.line);
    return true;
}

bool readEnd(Line& line, const Value& value, Recording& out)
{
    std::uint64_t steps = 0;
    const Line::Field hash{"state_hash",
                           [&](const Value& text) { return line.readHash(text, out.endHash); }};
    const auto readInner = [&](const Value& inner) {
        return line.object(inner, {line.field("step", steps, true), hash});
    };
    if (!line.object(value, {{"end", readInner}})) return false;
    if (steps < out.steps)
        return line.fail("the end at step " + std::to_string(steps) + " comes after step " +
                         std::to_string(out.steps) + "; steps must not fall");
    out.steps = steps;
    return true;
}

// ---- writing ------------------------------------------------------------------------------------

Value list(const double* numbers, std::size_t size)
{
    return Value::array(std::vector<Value>(numbers, numbers + size));
}
Value valueOf(const Vec3& v)
{
    return list(v.data(), 3);
}
Value valueOf(const Quat& q)
{
    return list(q.coeffs().data(), 4);
}
template <class T>
requires std::is_arithmetic_v<T> Value valueOf(T x)
{
    return Value(x);
}

template <class T>
void add(Value& out, const char* key, const std::optional<T>& value)
{
    if (value) out.add(key, valueOf(*value));
}
void add(Value& out, const char* key, const std::string& text)
{
    if (!text.empty()) out.add(key, text);
}

struct AddAction {
    Value& line;

    void operator()(const Interaction::Grab& grab) const
    {
        Value out = Value::object();
        out.add("body", grab.body);
        add(out, "point", grab.point);
        out.add("to", valueOf(grab.place));
        line.add("grab", std::move(out));
    }
    void operator()(const Interaction::MoveGrab& move) const { line.add("move", valueOf(move.place)); }
    void operator()(const Interaction::Release&) const { line.add("release", true); }
    void operator()(const Interaction::Push& push) const
    {
        Value out = Value::object();
        out.add("body", push.body);
        add(out, "point", push.point);
        out.add("impulse", valueOf(push.impulse));
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
        add(out, "solver", choose.settings.solver);
        add(out, "integrator", choose.settings.integrator);
        add(out, "coordinates", choose.settings.coordinates);
        add(out, "step", choose.settings.step);
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
};

}  // namespace

Recording recordingOf(const LiveSimulation& live)
{
    Recording recording;
    recording.scene = live.simulation().model.name;
    recording.solver = live.startSettings().solver;
    recording.integrator = live.startSettings().integrator;
    recording.step = live.startSettings().step.value_or(0);
    recording.interactions = live.recording();
    recording.steps = live.stepsMade();
    recording.endHash = stateHash(live.simulation().state);
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
        Line line(fileName, ++number);
        if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        Value value;
        bool good = line.parse(one, value);
        if (good && ended) {
            good = line.fail("the recording goes on after its end");
        } else if (good && !begun) {
            good = begun = readHeader(line, value, recording);
        } else if (good && value.find("end") != nullptr) {
            good = ended = readEnd(line, value, recording);
        } else if (good) {
            good = readInteraction(line, value, recording);
        }
        if (!good) return line.error;
    }
    if (ended) return recording;
    Diagnostic error;
    error.file = fileName;
    error.message = begun
                        ? "is cut off: its last line must be {\"end\": {\"step\": N}}, after so many steps"
                        : "is empty; a recording is expected";
    return error;
}

std::string writeRecording(const Recording& recording)
{
    Value header = Value::object();
    header.add("sinew_recording", recordingVersion);
    header.add("scene", recording.scene);
    header.add("solver", recording.solver);
    header.add("integrator", recording.integrator);
    header.add("step", recording.step);
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
    line.add("end", std::move(end));
    return text + json::writeLine(line);
}

Result<std::optional<Action>> parseLiveLine(std::string_view text, const std::string& fileName,
                                            int lineNumber)
{
    Line line(fileName, lineNumber);
    Said said;
    Value value;
    if (!line.parse(text, value)) return line.error;
    std::vector<Line::Field> fields = verbs(line, said);
    fields.push_back({"quit", [&](const Value& yes) { return said.quit = line.readTrue(yes); }});
    if (!line.object(value, fields) || !saysOneThing(line, said)) return line.error;
    if (said.quit) return std::optional<Action>();
    return std::optional<Action>(std::move(said.actions.front()));
}

}  // namespace sinew
