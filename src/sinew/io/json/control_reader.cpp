// What drives a figure: signals, conditions, motors, torque functions, controllers, supports, motions,
// tracks.
#include <cmath>
#include <limits>

#include "sinew/io/json/reader.h"

namespace sinew::reading {

bool Reader::read(const Value& value, std::uint32_t& out)
{
    if (!value.isNumber()) return failKind("a whole number", value);
    const double number = value.number();
    if (!(number >= 0 && number <= 4294967295.0 && number == std::floor(number)))
        return fail("is " + json::numberText(number) + "; a whole number from 0 to 4294967295 is expected");
    out = static_cast<std::uint32_t>(number);
    return true;
}

bool Reader::read(const Value& value, int& out)
{
    if (!value.isNumber()) return failKind("a whole number", value);
    const double number = value.number();
    if (number != std::floor(number) || std::abs(number) > std::numeric_limits<int>::max())
        return fail("is " + json::numberText(number) + "; a whole number is expected");
    out = static_cast<int>(number);
    return true;
}

bool Reader::read(const Value& value, ConditionDescription& out)
{
    if (!object(value, conditionKeys(), out, "a condition")) return false;
    return !out.of.empty() || fail("a condition needs one of angle, height, speed and touch");
}

bool Reader::read(const Value& value, TorqueDescription::Part& out)
{
    using Part = TorqueDescription::Part;
    std::string word;
    if (!read(value, word)) return false;
    out = word == "swing" ? Part::swing : word == "twist" ? Part::twist : Part::cone;
    return out != Part::cone || word == "cone" ||
           fail("is " + words::quoted(word) + "; swing, twist or cone?");
}

bool Reader::read(const Value& value, SupportDescription& out)
{
    using At = SupportDescription::At;
    const Value* at = value.isObject() ? value.find("at") : nullptr;
    if (at) {
        std::string word;
        static constexpr std::string_view words[] = {"body", "center", "feet"};
        const auto known = [&] {
            if (!read(*at, word)) return false;
            for (int i = 0; i < 3; ++i)
                if (word == words[i]) {
                    out.at = static_cast<At>(i);
                    return true;
                }
            return fail("is " + words::quoted(word) + "; a support is at " + words::joined(words));
        };
        if (!within("at", known)) return false;
    }
    return object(value, supportKeys(), out, "a support");
}

bool Reader::read(const Value& value, Signal& out)
{
    out.parts.clear();
    if (value.isNumber()) {
        out = value.number();
        return true;
    }
    if (!value.isObject()) return failKind("a number or a signal such as {\"sine\": …}", value);
    if (value.find("keys")) {
        KeySignal keys;
        if (!read(value, keys)) return false;
        out.parts.emplace_back(std::move(keys));
        return true;
    }
    static constexpr std::string_view forms[] = {"sine", "pulse", "step", "noise", "keys", "sum"};
    if (value.members().size() != 1)
        return fail("a signal is a number or an object with one of the keys " + words::joined(forms));
    const Member& member = value.members()[0];
    return within(member.key, [&] {
        const auto part = [&]<class Form>(Form form) {
            if (!read(member.value, form)) return false;
            out.parts.emplace_back(std::move(form));
            return true;
        };
        if (member.key == "sine") return part(SineSignal{});
        if (member.key == "pulse") return part(PulseSignal{});
        if (member.key == "step") return part(StepSignal{});
        if (member.key == "noise") return part(NoiseSignal{});
        if (member.key == "sum") {
            std::vector<Signal> summands;
            if (!read(member.value, summands)) return false;
            for (Signal& summand : summands)
                for (SignalPart& one : summand.parts) out.parts.push_back(std::move(one));
            return true;
        }
        const std::string_view meant = words::nearestWord(member.key, forms);
        return fail("unknown signal " + words::quoted(member.key) + "; " +
                    (meant.empty() ? "known are " + words::joined(forms)
                                   : "did you mean \"" + std::string(meant) + "\"?"));
    });
}

// ---- the tables -------------------------------------------------------------------------------

const Keys<SineSignal>& Reader::sineKeys()
{
    using S = SineSignal;
    static const Keys<S> keys = {
        key<S, &S::amplitude>("amplitude"),
        key<S, &S::frequency>("frequency"),
        key<S, &S::phase>("phase"),
        key<S, &S::offset>("offset"),
    };
    return keys;
}

const Keys<PulseSignal>& Reader::pulseKeys()
{
    using S = PulseSignal;
    static const Keys<S> keys = {
        key<S, &S::height>("height"), key<S, &S::start>("start"), key<S, &S::length>("length", true),
        key<S, &S::period>("period"), key<S, &S::ramp>("ramp"),
    };
    return keys;
}

const Keys<StepSignal>& Reader::stepKeys()
{
    using S = StepSignal;
    static const Keys<S> keys = {
        key<S, &S::from>("from"),
        key<S, &S::to>("to"),
        key<S, &S::time>("time"),
        key<S, &S::ramp>("ramp"),
    };
    return keys;
}

const Keys<NoiseSignal>& Reader::noiseKeys()
{
    using S = NoiseSignal;
    static const Keys<S> keys = {
        key<S, &S::amplitude>("amplitude"),
        key<S, &S::frequency>("frequency"),
        key<S, &S::seed>("seed"),
    };
    return keys;
}

const Keys<KeySignal>& Reader::keyKeys()
{
    using S = KeySignal;
    static const Keys<S> keys = {
        key<S, &S::keys>("keys", true),
        key<S, &S::smooth>("smooth"),
        key<S, &S::period>("period"),
    };
    return keys;
}

// One signal per freedom; a single one may stand without brackets.
template <class T, auto member>
Key<T> signalsKey(std::string_view name, bool required = false)
{
    return {name,
            [](Reader& reader, const Value& value, T& out) { return reader.signals(value, out.*member); },
            required};
}

template <ConditionDescription::Quantity quantity>
Key<ConditionDescription> quantityKey(std::string_view name)
{
    return {name, [](Reader& reader, const Value& value, ConditionDescription& out) {
                if (!out.of.empty())
                    return reader.fail(
                        "a condition is of one thing; give one of "
                        "angle, height, speed and touch");
                out.quantity = quantity;
                return reader.read(value, out.of);
            }};
}

const Keys<ConditionDescription>& Reader::conditionKeys()
{
    using C = ConditionDescription;
    using Quantity = C::Quantity;
    static const Keys<C> keys = {
        quantityKey<Quantity::angle>("angle"),
        quantityKey<Quantity::height>("height"),
        quantityKey<Quantity::speed>("speed"),
        quantityKey<Quantity::touch>("touch"),
        key<C, &C::freedom>("freedom"),
        key<C, &C::above>("above"),
        key<C, &C::below>("below"),
    };
    return keys;
}

const Keys<MotorDescription>& Reader::motorKeys()
{
    using M = MotorDescription;
    static const Keys<M> keys = {
        key<M, &M::joint>("joint", true),
        signalsKey<M, &M::torque>("torque", true),
        key<M, &M::when>("when"),
        key<M, &M::during>("while"),
    };
    return keys;
}

const Keys<TorqueDescription>& Reader::torqueKeys()
{
    using T = TorqueDescription;
    static const Keys<T> keys = {
        key<T, &T::joint>("joint", true),
        key<T, &T::part>("part"),
        key<T, &T::freedom>("freedom"),
        key<T, &T::free>("free"),
        key<T, &T::slope>("slope"),
        key<T, &T::most>("most"),
        key<T, &T::curve>("curve"),
        signalsKey<T, &T::center>("center"),
        key<T, &T::freeDamping>("free_damping"),
    };
    return keys;
}

const Keys<ControllerDescription>& Reader::controllerKeys()
{
    using C = ControllerDescription;
    static const Keys<C> keys = {
        key<C, &C::joint>("joint", true), key<C, &C::stiffness>("stiffness"),
        key<C, &C::damping>("damping"),   signalsKey<C, &C::target>("target"),
        key<C, &C::motion>("motion"),     key<C, &C::limit>("limit"),
        key<C, &C::weight>("weight"),
    };
    return keys;
}

const Keys<SupportDescription>& Reader::supportKeys()
{
    using S = SupportDescription;
    static const Keys<S> keys = {
        // Known before the others are read: it says what they mean.
        {"at", [](Reader&, const Value&, S&) { return true; }, true},
        {"body", [](Reader& reader, const Value& value,
                    S& out) { return reader.read(value, out.bodies.emplace_back()); }},
        key<S, &S::bodies>("bodies"),
        key<S, &S::share>("share"),
        key<S, &S::point>("point"),
        key<S, &S::weight>("weight"),
    };
    return keys;
}

MotionFile& Reader::motionFile()
{
    const std::size_t motion = std::stoul(pointer_.substr(std::string_view("/motions/").size()));
    if (motionFiles_.empty() || motionFiles_.back().motion != motion)
        motionFiles_.emplace_back().motion = motion;
    return motionFiles_.back();
}

const Keys<MotionDescription>& Reader::motionKeys()
{
    using M = MotionDescription;
    static const Keys<M> keys = {
        key<M, &M::name>("name", true),
        {"file", [](Reader& reader, const Value& value,
                    M&) { return reader.read(value, reader.motionFile().file); }},
        {"clip", [](Reader& reader, const Value& value,
                    M&) { return reader.read(value, reader.motionFile().clip); }},
        {"onto", [](Reader& reader, const Value& value,
                    M&) { return reader.read(value, reader.motionFile().onto); }},
        {"map", [](Reader& reader, const Value& value,
                   M&) { return reader.read(value, reader.motionFile().map); }},
        {"scale", [](Reader& reader, const Value& value,
                     M&) { return reader.read(value, reader.motionFile().scale); }},
        {"bones",
         [](Reader& reader, const Value& value, M&) {
             using Pair = std::pair<std::string, std::string>;
             return reader.named(value, reader.motionFile().bones,
                                 [&](const Value& one, const std::string& name, Pair& pair) {
                                     pair.first = name;
                                     return reader.read(one, pair.second);
                                 });
         }},
        {"joints",
         [](Reader& reader, const Value& value, M& out) {
             return reader.named(value, out.joints,
                                 [&](const Value& one, const std::string& name, M::JointCurve& curve) {
                                     curve.joint = name;
                                     return reader.signals(one, curve.coordinate);
                                 });
         }},
        {"roots",
         [](Reader& reader, const Value& value, M& out) {
             return reader.named(value, out.roots,
                                 [&](const Value& one, const std::string& name, M::RootPath& root) {
                                     root.body = name;
                                     return reader.read(one, root);
                                 });
         }},
    };
    return keys;
}

const Keys<MotionDescription::RootPath>& Reader::rootPathKeys()
{
    using R = MotionDescription::RootPath;
    static const Keys<R> keys = {
        key<R, &R::path>("path", true),
        key<R, &R::smooth>("smooth"),
    };
    return keys;
}

const Keys<PrescribedDescription>& Reader::prescribedKeys()
{
    using P = PrescribedDescription;
    static const Keys<P> keys = {
        key<P, &P::joint>("joint"), signalsKey<P, &P::motion>("motion"), key<P, &P::body>("body"),
        key<P, &P::path>("path"),   key<P, &P::smooth>("smooth"),        key<P, &P::point>("point"),
        key<P, &P::from>("from"),   key<P, &P::until>("until"),          key<P, &P::blend>("blend"),
    };
    return keys;
}

const Keys<TrackDescription>& Reader::trackKeys()
{
    using T = TrackDescription;
    static const Keys<T> keys = {
        key<T, &T::motion>("motion", true),
        key<T, &T::bodies>("bodies"),
        key<T, &T::stiffness>("stiffness"),
        key<T, &T::damping>("damping"),
        key<T, &T::turnStiffness>("turn_stiffness"),
        key<T, &T::turnDamping>("turn_damping"),
        {"weights",
         [](Reader& reader, const Value& value, T& out) {
             return reader.named(value, out.weights,
                                 [&](const Value& one, const std::string& name, T::Weight& own) {
                                     own.body = name;
                                     return reader.read(one, own.weight);
                                 });
         }},
        key<T, &T::weight>("weight"),
    };
    return keys;
}

}  // namespace sinew::reading
