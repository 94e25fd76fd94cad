// What is written the same way everywhere: numbers, vectors, signals, conditions, paths.
#include "sinew/io/json/scene_writer.h"

namespace sinew::writing {
namespace {

// Every key is told: what a number would be without one is nothing a reader of the file should look up.
struct SignalValueOf {
    Value operator()(const ConstantSignal& s) const { return s.value; }
    Value operator()(const SineSignal& s) const
    {
        return named("sine", {{"amplitude", s.amplitude},
                              {"frequency", s.frequency},
                              {"phase", s.phase},
                              {"offset", s.offset}});
    }
    Value operator()(const PulseSignal& s) const
    {
        return named("pulse", {{"height", s.height},
                               {"start", s.start},
                               {"length", s.length},
                               {"period", s.period},
                               {"ramp", s.ramp}});
    }
    Value operator()(const StepSignal& s) const
    {
        return named("step", {{"from", s.from}, {"to", s.to}, {"time", s.time}, {"ramp", s.ramp}});
    }
    Value operator()(const NoiseSignal& s) const
    {
        return named("noise", {{"amplitude", s.amplitude},
                               {"frequency", s.frequency},
                               {"seed", static_cast<double>(s.seed)}});
    }
    Value operator()(const KeySignal& s) const
    {
        Value out = Value::object(), keys = Value::array();
        for (const KeySignal::Key& key : s.keys) keys.add(Value::array({key.time, key.value}));
        out.add("keys", std::move(keys));
        if (!s.smooth) out.add("smooth", false);
        addNumber(out, "period", s.period);
        return out;
    }

private:
    static Value named(const char* form, std::initializer_list<std::pair<const char*, double>> numbers)
    {
        Value inner = Value::object(), out = Value::object();
        for (const auto& [key, number] : numbers) inner.add(key, number);
        out.add(form, std::move(inner));
        return out;
    }
};

Value conditionValue(const ConditionDescription& condition)
{
    static constexpr const char* quantities[] = {"angle", "height", "speed", "touch"};
    Value out = Value::object();
    out.add(quantities[static_cast<int>(condition.quantity)], condition.of);
    addNumber(out, "freedom", condition.freedom);
    addNumber(out, "above", condition.above);
    addNumber(out, "below", condition.below);
    return out;
}

}  // namespace

Value list(const double* numbers, std::size_t size)
{
    return Value::array(std::vector<Value>(numbers, numbers + size));
}

Value list(const Vec3& v)
{
    return list(v.data(), 3);
}

Value matrix(const Mat3& m)
{
    const Mat3 diagonal = m.diagonal().asDiagonal();
    if (m == diagonal) return list(m.diagonal());
    Value rows = Value::array();
    for (int i = 0; i < 3; ++i) rows.add(list(Vec3(m.row(i).transpose())));
    return rows;
}

// Members that are left out when they say nothing but the default.
void addPosition(Value& out, const Vec3& position)
{
    if (!position.isZero(0)) out.add("position", list(position));
}

void addOrientation(Value& out, const Quat& q)
{
    if (q.coeffs() != Quat::Identity().coeffs()) out.add("orientation", list(q.coeffs().data(), 4));
}

void addNumber(Value& out, const char* key, const std::optional<double>& number)
{
    if (number) out.add(key, *number);
}

void addNumber(Value& out, const char* key, double number, double byDefault)
{
    if (number != byDefault) out.add(key, number);
}

void addVector(Value& out, const char* key, const std::optional<Vec3>& v)
{
    if (v) out.add(key, list(*v));
}

void addText(Value& out, const char* key, const std::string& text)
{
    if (!text.empty()) out.add(key, text);
}

void addFreedoms(Value& out, const char* key, const std::vector<double>& numbers)
{
    if (numbers.size() == 1)
        out.add(key, numbers[0]);
    else if (!numbers.empty())
        out.add(key, list(numbers.data(), numbers.size()));
}

void addTriangles(Value& out, const std::vector<Vec3>& vertices,
                  const std::vector<std::array<int, 3>>& faces)
{
    Value places = Value::array(), corners = Value::array();
    for (const Vec3& vertex : vertices) places.add(list(vertex));
    for (const auto& face : faces) corners.add(Value::array({face[0], face[1], face[2]}));
    out.add("vertices", std::move(places));
    if (!faces.empty()) out.add("faces", std::move(corners));
}

Value signalValue(const Signal& signal)
{
    if (signal.parts.empty()) return 0.;
    if (signal.parts.size() == 1) return std::visit(SignalValueOf{}, signal.parts[0]);
    Value out = Value::object(), parts = Value::array();
    for (const SignalPart& part : signal.parts) parts.add(std::visit(SignalValueOf{}, part));
    out.add("sum", std::move(parts));
    return out;
}

void addSignals(Value& out, const char* key, const std::vector<Signal>& signals)
{
    if (signals.size() == 1) {
        out.add(key, signalValue(signals[0]));
    } else if (!signals.empty()) {
        Value all = Value::array();
        for (const Signal& signal : signals) all.add(signalValue(signal));
        out.add(key, std::move(all));
    }
}

void addConditions(Value& out, const std::optional<ConditionDescription>& when,
                   const std::optional<ConditionDescription>& during)
{
    if (when) out.add("when", conditionValue(*when));
    if (during) out.add("while", conditionValue(*during));
}

void addSignal(Value& out, const char* key, const std::optional<Signal>& signal)
{
    if (signal) out.add(key, signalValue(*signal));
}

Value pathValue(const std::vector<TargetDescription::Key>& keys)
{
    Value path = Value::array();
    for (const TargetDescription::Key& key : keys) {
        Value item = Value::object();
        item.add("time", key.time);
        addVector(item, "position", key.position);
        // Kept even if it is no turn at all: without it the body's own rest pose would be meant.
        if (key.orientation) item.add("orientation", list(key.orientation->coeffs().data(), 4));
        path.add(std::move(item));
    }
    return path;
}

Value names(const std::vector<std::string>& words)
{
    Value out = Value::array();
    for (const std::string& word : words) out.add(word);
    return out;
}

}  // namespace sinew::writing
