// Syntax tree → Description. Each kind of object has one table of its keys: what is legal, what is
// required, and where the value goes.
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/json/words.h"

namespace sinew {
namespace {

using json::Kind;
using json::Member;
using json::Value;

class Reader;

template <class T>
struct Key {
    std::string_view name;
    bool (*read)(Reader&, const Value&, T&);
    bool required = false;
};

template <class T>
using Keys = std::vector<Key<T>>;

class Reader {
public:
    explicit Reader(const std::string& file) { error_.file = file; }

    const Diagnostic& error() const { return error_; }

    bool fail(std::string message)
    {
        error_.pointer = pointer_;
        error_.message = std::move(message);
        return false;
    }
    bool failKind(const char* expected, const Value& found)
    {
        return fail(std::string(expected) + " is expected, found " + json::kindName(found.kind()));
    }

    // Runs `read` with the pointer lengthened by one token; true if that went well.
    template <class Function>
    bool within(std::string_view token, Function read)
    {
        const std::size_t before = pointer_.size();
        pointer_ += '/';
        for (char c : json::printable(token))
            pointer_ += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
        const bool good = read();
        pointer_.resize(before);
        return good;
    }
    template <class Function>
    bool within(std::size_t index, Function read)
    {
        return within(std::to_string(index), read);
    }

    // ---- plain values --------------------------------------------------------------------------

    bool read(const Value& value, double& out)
    {
        if (!value.isNumber()) return failKind("a number", value);
        out = value.number();
        return true;
    }
    bool read(const Value& value, bool& out)
    {
        if (value.kind() != Kind::boolean) return failKind("true or false", value);
        out = value.boolean();
        return true;
    }
    // Names end up in messages and table headings, so they have to stay on one line.
    bool read(const Value& value, std::string& out)
    {
        if (!text(value, out)) return false;
        for (char c : out)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
                return fail("line breaks, tabs and other control characters are not allowed here");
        return true;
    }
    bool text(const Value& value, std::string& out)
    {
        if (!value.isString()) return failKind("a string", value);
        out = value.string();
        return true;
    }
    bool read(const Value& value, Vec3& out)
    {
        return numbers(value, "a list of 3 numbers", {out.data(), 3});
    }
    bool read(const Value& value, Quat& out);
    bool read(const Value& value, Mat3& out);
    bool read(const Value& value, JointType& out);
    bool read(const Value& value, std::vector<double>& out);
    bool read(const Value& value, std::array<int, 3>& out);
    bool read(const Value& value, ShapeDescription& out);
    bool read(const Value& value, BodyDescription& out) { return object(value, bodyKeys(), out, "a body"); }
    bool read(const Value& value, JointDescription& out)
    {
        return object(value, jointKeys(), out, "a joint");
    }
    bool read(const Value& value, ForceDescription& out)
    {
        return object(value, forceKeys(), out, "a force");
    }
    bool read(const Value& value, ObstacleDescription& out);
    bool read(const Value& value, TargetDescription& out)
    {
        return object(value, targetKeys(), out, "a target");
    }
    bool read(const Value& value, TargetDescription::Key& out)
    {
        return object(value, pathKeys(), out, "a key of a path");
    }
    // A number, or an object whose one key tells the form.
    bool read(const Value& value, Signal& out);
    bool read(const Value& value, SineSignal& out) { return object(value, sineKeys(), out, "a sine"); }
    bool read(const Value& value, PulseSignal& out) { return object(value, pulseKeys(), out, "a pulse"); }
    bool read(const Value& value, StepSignal& out) { return object(value, stepKeys(), out, "a step"); }
    bool read(const Value& value, NoiseSignal& out) { return object(value, noiseKeys(), out, "noise"); }
    bool read(const Value& value, KeySignal& out) { return object(value, keyKeys(), out, "keys"); }
    bool read(const Value& value, KeySignal::Key& out)
    {
        double pair[2];
        if (!numbers(value, "a pair [time, value]", pair)) return false;
        out = {pair[0], pair[1]};
        return true;
    }
    bool read(const Value& value, std::uint32_t& out);
    // One signal per freedom; a single one may stand without brackets.
    bool signals(const Value& value, std::vector<Signal>& out)
    {
        if (value.isArray()) return read(value, out);
        return read(value, out.emplace_back());
    }
    bool read(const Value& value, SwitchDescription& out)
    {
        return object(value, switchKeys(), out, "a switch");
    }
    bool read(const Value& value, PrescribedDescription& out)
    {
        return object(value, prescribedKeys(), out, "a prescribed motion");
    }
    bool read(const Value& value, RunSettings& out) { return object(value, runKeys(), out, "run"); }
    bool read(const Value& value, Description& out) { return object(value, sceneKeys(), out, "a scene"); }

    template <class T>
    bool read(const Value& value, std::optional<T>& out)
    {
        return read(value, out.emplace());
    }
    template <class T>
    bool read(const Value& value, std::vector<T>& out)
    {
        if (!value.isArray()) return failKind("a list", value);
        out.resize(value.items().size());
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!within(i, [&] { return read(value.items()[i], out[i]); })) return false;
        return true;
    }

    bool version(const Value& value)
    {
        if (!value.isNumber()) return failKind("the number 1, the version of the format,", value);
        if (value.number() != sceneVersion)
            return fail("version " + json::numberText(value.number()) +
                        " of the format is not known; this program reads version " +
                        std::to_string(sceneVersion));
        return true;
    }

    static const Keys<ShapeDescription>& shapeKeys(const Shape& shape);
    static const Keys<BodyDescription>& bodyKeys();
    static const Keys<JointDescription>& jointKeys();
    static const Keys<ForceDescription>& forceKeys();
    static const Keys<ObstacleDescription>& obstacleKeys(ObstacleDescription::Type type);
    static const Keys<TargetDescription>& targetKeys();
    static const Keys<TargetDescription::Key>& pathKeys();
    static const Keys<SineSignal>& sineKeys();
    static const Keys<PulseSignal>& pulseKeys();
    static const Keys<StepSignal>& stepKeys();
    static const Keys<NoiseSignal>& noiseKeys();
    static const Keys<KeySignal>& keyKeys();
    static const Keys<SwitchDescription>& switchKeys();
    static const Keys<PrescribedDescription>& prescribedKeys();
    static const Keys<RunSettings>& runKeys();
    static const Keys<Description>& sceneKeys();

private:
    bool numbers(const Value& value, const char* expected, std::span<double> out);
    bool facesExist(const ConvexMesh& mesh);

    template <class T>
    bool object(const Value& value, const Keys<T>& keys, T& out, const std::string& what)
    {
        if (!value.isObject()) return failKind("an object", value);
        for (const Member& member : value.members()) {
            const Key<T>* key = nullptr;
            for (const Key<T>& candidate : keys)
                if (candidate.name == member.key) key = &candidate;
            const auto readMember = [&] {
                return key ? key->read(*this, member.value, out) : unknownKey(member.key, keys, what);
            };
            if (!within(member.key, readMember)) return false;
        }
        for (const Key<T>& key : keys)
            if (key.required && value.find(key.name) == nullptr)
                return fail(what + " needs the key \"" + std::string(key.name) + "\"");
        return true;
    }

    template <class T>
    bool unknownKey(std::string_view word, const Keys<T>& keys, const std::string& what)
    {
        std::vector<std::string_view> legal;
        for (const Key<T>& key : keys) legal.push_back(key.name);
        const std::string_view meant = json::nearestWord(word, legal);
        if (!meant.empty())
            return fail("unknown key " + json::quoted(word) + "; did you mean \"" + std::string(meant) +
                        "\"?");
        return fail("unknown key " + json::quoted(word) + "; " + what + " has " + json::joined(legal));
    }

    std::string pointer_;
    Diagnostic error_;
};

// A key whose value goes straight into a member of T.
template <class T, auto member>
Key<T> key(std::string_view name, bool required = false)
{
    return {name,
            [](Reader& reader, const Value& value, T& out) { return reader.read(value, out.*member); },
            required};
}
template <class T>
Key<T> positionKey()
{
    return {"position", [](Reader& reader, const Value& value, T& out) {
                return reader.read(value, out.pose.position);
            }};
}
template <class T>
Key<T> orientationKey()
{
    return {"orientation", [](Reader& reader, const Value& value, T& out) {
                return reader.read(value, out.pose.orientation);
            }};
}
// A key of one kind of shape, which `out.shape` already is.
template <class S, auto member>
Key<ShapeDescription> sizeKey(std::string_view name, bool required = true)
{
    return {name,
            [](Reader& reader, const Value& value, ShapeDescription& out) {
                return reader.read(value, std::get<S>(out.shape).*member);
            },
            required};
}

// ---- the tables -------------------------------------------------------------------------------

const Keys<Description>& Reader::sceneKeys()
{
    using D = Description;
    static const Keys<D> keys = {
        {"sinew", [](Reader& reader, const Value& value, D&) { return reader.version(value); }, true},
        {"$schema",
         [](Reader& reader, const Value& value, D&) {
             std::string ignored;  // for editors, not for us
             return reader.text(value, ignored);
         }},
        key<D, &D::name>("name"),
        {"about", [](Reader& reader, const Value& value, D& out) { return reader.text(value, out.about); }},
        key<D, &D::gravity>("gravity"),
        key<D, &D::bodies>("bodies", true),
        key<D, &D::joints>("joints"),
        key<D, &D::forces>("forces"),
        key<D, &D::obstacles>("obstacles"),
        key<D, &D::targets>("targets"),
        key<D, &D::switches>("switches"),
        key<D, &D::prescribed>("prescribed"),
        key<D, &D::roots>("roots"),
        key<D, &D::run>("run"),
    };
    return keys;
}

const Keys<BodyDescription>& Reader::bodyKeys()
{
    using B = BodyDescription;
    static const Keys<B> keys = {
        key<B, &B::name>("name", true),
        positionKey<B>(),
        orientationKey<B>(),
        key<B, &B::mass>("mass"),
        key<B, &B::inertia>("inertia"),
        key<B, &B::center>("center"),
        key<B, &B::shapes>("shapes"),
        key<B, &B::velocity>("velocity"),
        key<B, &B::angularVelocity>("angular_velocity"),
    };
    return keys;
}

const Keys<JointDescription>& Reader::jointKeys()
{
    using J = JointDescription;
    static const Keys<J> keys = {
        key<J, &J::name>("name", true),
        key<J, &J::type>("type", true),
        key<J, &J::first>("first", true),
        key<J, &J::second>("second", true),
        key<J, &J::position>("position"),
        key<J, &J::axis>("axis"),
        key<J, &J::axis2>("axis2"),
        key<J, &J::stiffness>("stiffness"),
        key<J, &J::twistStiffness>("twist_stiffness"),
        key<J, &J::damping>("damping"),
        key<J, &J::armature>("armature"),
        key<J, &J::friction>("friction"),
        key<J, &J::motor>("motor"),
        key<J, &J::coordinate>("coordinate"),
        key<J, &J::velocity>("velocity"),
        key<J, &J::rest>("rest"),
        key<J, &J::lower>("lower"),
        key<J, &J::upper>("upper"),
        key<J, &J::swingLimit>("swing_limit"),
        key<J, &J::limitStiffness>("limit_stiffness"),
    };
    return keys;
}

const Keys<ForceDescription>& Reader::forceKeys()
{
    using F = ForceDescription;
    static const Keys<F> keys = {
        key<F, &F::body>("body", true),
        key<F, &F::force>("force"),
        key<F, &F::torque>("torque"),
        key<F, &F::point>("point"),
    };
    return keys;
}

const Keys<ObstacleDescription>& Reader::obstacleKeys(ObstacleDescription::Type type)
{
    using O = ObstacleDescription;
    static const Keys<O> shared = {
        // Known before the others are read: it says which of them are legal.
        {"type", [](Reader&, const Value&, O&) { return true; }, true},
        key<O, &O::name>("name"),
        key<O, &O::position>("position"),
        key<O, &O::stiffness>("stiffness"),
        key<O, &O::damping>("damping"),
    };
    static const Keys<O> plane = [] {
        Keys<O> keys = shared;
        keys.push_back(key<O, &O::normal>("normal"));
        return keys;
    }();
    static const Keys<O> sphere = [] {
        Keys<O> keys = shared;
        keys.push_back(key<O, &O::radius>("radius", true));
        return keys;
    }();
    return type == O::Type::plane ? plane : sphere;
}

const Keys<TargetDescription>& Reader::targetKeys()
{
    using T = TargetDescription;
    static const Keys<T> keys = {
        key<T, &T::body>("body", true),
        key<T, &T::point>("point"),
        key<T, &T::stiffness>("stiffness"),
        key<T, &T::damping>("damping"),
        key<T, &T::turnStiffness>("turn_stiffness"),
        key<T, &T::turnDamping>("turn_damping"),
        key<T, &T::path>("path", true),
        key<T, &T::smooth>("smooth"),
    };
    return keys;
}

const Keys<TargetDescription::Key>& Reader::pathKeys()
{
    using K = TargetDescription::Key;
    static const Keys<K> keys = {
        key<K, &K::time>("time", true),
        key<K, &K::position>("position"),
        key<K, &K::orientation>("orientation"),
    };
    return keys;
}

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

const Keys<SwitchDescription>& Reader::switchKeys()
{
    using S = SwitchDescription;
    static const Keys<S> keys = {
        key<S, &S::time>("time", true),
        key<S, &S::joint>("joint"),
        key<S, &S::active>("active"),
    };
    return keys;
}

const Keys<PrescribedDescription>& Reader::prescribedKeys()
{
    using P = PrescribedDescription;
    static const Keys<P> keys = {
        key<P, &P::joint>("joint"),
        {"motion",
         [](Reader& reader, const Value& value, P& out) { return reader.signals(value, out.motion); }},
        key<P, &P::body>("body"),
        key<P, &P::path>("path"),
        key<P, &P::smooth>("smooth"),
        key<P, &P::point>("point"),
        key<P, &P::from>("from"),
        key<P, &P::until>("until"),
        key<P, &P::blend>("blend"),
    };
    return keys;
}

const Keys<RunSettings>& Reader::runKeys()
{
    using R = RunSettings;
    static const Keys<R> keys = {
        key<R, &R::solver>("solver"),           key<R, &R::integrator>("integrator"),
        key<R, &R::coordinates>("coordinates"), key<R, &R::step>("step"),
        key<R, &R::duration>("duration"),       key<R, &R::fps>("fps"),
    };
    return keys;
}

const Keys<ShapeDescription>& Reader::shapeKeys(const Shape& shape)
{
    using S = ShapeDescription;
    // In the order of the alternatives of Shape.
    static const Keys<S> own[] = {
        {sizeKey<Sphere, &Sphere::radius>("radius")},
        {sizeKey<Box, &Box::size>("size")},
        {sizeKey<Capsule, &Capsule::radius>("radius"), sizeKey<Capsule, &Capsule::length>("length")},
        {sizeKey<Cylinder, &Cylinder::radius>("radius"), sizeKey<Cylinder, &Cylinder::length>("length")},
        {sizeKey<Ellipsoid, &Ellipsoid::radii>("radii")},
        {sizeKey<ConvexMesh, &ConvexMesh::vertices>("vertices"),
         sizeKey<ConvexMesh, &ConvexMesh::faces>("faces", false)},
    };
    static_assert(std::size(own) == std::variant_size_v<Shape>);
    static const std::vector<Keys<S>> all = [] {
        std::vector<Keys<S>> tables;
        for (const Keys<S>& sizes : own) {
            Keys<S> table = {
                // Known before the others are read: it says which of them are legal.
                {"type", [](Reader&, const Value&, S&) { return true; }, true},
                positionKey<S>(),
                orientationKey<S>(),
                key<S, &S::density>("density"),
                key<S, &S::mass>("mass"),
            };
            table.insert(table.end(), sizes.begin(), sizes.end());
            tables.push_back(std::move(table));
        }
        return tables;
    }();
    return all[shape.index()];
}

// ---- values with a form of their own ------------------------------------------------------------

bool Reader::read(const Value& value, std::uint32_t& out)
{
    if (!value.isNumber()) return failKind("a whole number", value);
    const double number = value.number();
    if (!(number >= 0 && number <= 4294967295.0 && number == std::floor(number)))
        return fail("is " + json::numberText(number) + "; a whole number from 0 to 4294967295 is expected");
    out = static_cast<std::uint32_t>(number);
    return true;
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
        return fail("a signal is a number or an object with one of the keys " + json::joined(forms));
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
        const std::string_view meant = json::nearestWord(member.key, forms);
        return fail("unknown signal " + json::quoted(member.key) + "; " +
                    (meant.empty() ? "known are " + json::joined(forms)
                                   : "did you mean \"" + std::string(meant) + "\"?"));
    });
}

bool Reader::numbers(const Value& value, const char* expected, std::span<double> out)
{
    if (!value.isArray()) return failKind(expected, value);
    const std::size_t size = value.items().size();
    if (size != out.size())
        return fail(std::string(expected) + " is expected, found " + std::to_string(size) +
                    (size == 1 ? " item" : " items"));
    for (std::size_t i = 0; i < size; ++i)
        if (!within(i, [&] { return read(value.items()[i], out[i]); })) return false;
    return true;
}

bool Reader::read(const Value& value, Quat& out)
{
    constexpr double typedTolerance = 1e-3;  // three digits by hand are enough to mean a rotation
    constexpr double roundingOfNorm =
        1e-14;  // left alone, so that what we wrote reads back to the same bits
    double q[4];
    if (!numbers(value, "a quaternion of 4 numbers (x, y, z, w)", q)) return false;
    out = Quat(q[3], q[0], q[1], q[2]);
    const double norm = out.coeffs().stableNorm();
    if (!(std::abs(norm - 1) <= typedTolerance))
        return fail("a quaternion (x, y, z, w) must have length 1, this one has " + json::numberText(norm) +
                    "; no turn at all is [0, 0, 0, 1]");
    if (std::abs(norm - 1) > roundingOfNorm) out.normalize();
    return true;
}

bool Reader::read(const Value& value, Mat3& out)
{
    constexpr const char* expected = "a list of 3 numbers (the diagonal) or of 3 rows";
    if (!value.isArray()) return failKind(expected, value);
    const std::vector<Value>& rows = value.items();
    if (rows.size() == 3 && rows[0].isArray()) {
        for (int i = 0; i < 3; ++i) {
            Vec3 row = Vec3::Zero();
            if (!within(static_cast<std::size_t>(i), [&] { return read(rows[i], row); })) return false;
            out.row(i) = row.transpose();
        }
        return true;
    }
    Vec3 diagonal = Vec3::Zero();
    if (!numbers(value, expected, {diagonal.data(), 3})) return false;
    out = diagonal.asDiagonal();
    return true;
}

bool Reader::read(const Value& value, JointType& out)
{
    std::string word;
    if (!read(value, word)) return false;
    if (const std::optional<JointType> type = jointTypeFromName(word)) {
        out = *type;
        return true;
    }
    std::vector<std::string_view> legal;
    for (int i = 0; i < jointTypeCount; ++i) legal.push_back(jointTypeName(static_cast<JointType>(i)));
    return fail("unknown joint type " + json::quoted(word) + "; the types are " + json::joined(legal));
}

// One number per freedom; a single one may stand without brackets.
bool Reader::read(const Value& value, std::vector<double>& out)
{
    if (value.isNumber()) {
        out = {value.number()};
        return true;
    }
    if (!value.isArray()) return failKind("a number or a list of numbers", value);
    out.resize(value.items().size());
    return numbers(value, "a list of numbers", out);
}

bool Reader::read(const Value& value, std::array<int, 3>& out)
{
    Vec3 corners = Vec3::Zero();
    if (!numbers(value, "a triangle of 3 vertex numbers", {corners.data(), 3})) return false;
    for (int i = 0; i < 3; ++i) {
        const double index = corners[i];
        if (index < 0 || index != std::floor(index) || index > std::numeric_limits<int>::max())
            return within(static_cast<std::size_t>(i), [&] {
                return fail("a vertex number counts from 0 in whole numbers, found " +
                            json::numberText(index));
            });
        out[static_cast<std::size_t>(i)] = static_cast<int>(index);
    }
    return true;
}

bool Reader::facesExist(const ConvexMesh& mesh)
{
    for (std::size_t face = 0; face < mesh.faces.size(); ++face)
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const int vertex = mesh.faces[face][corner];
            if (static_cast<std::size_t>(vertex) < mesh.vertices.size()) continue;
            const auto report = [&] {
                return fail("there is no vertex " + std::to_string(vertex) + "; the mesh has " +
                            std::to_string(mesh.vertices.size()) + ", counted from 0");
            };
            return within("faces", [&] { return within(face, [&] { return within(corner, report); }); });
        }
    return true;
}

bool Reader::read(const Value& value, ShapeDescription& out)
{
    static const Shape shapes[] = {Sphere{}, Box{}, Capsule{}, Cylinder{}, Ellipsoid{}, ConvexMesh{}};
    static_assert(std::size(shapes) == std::variant_size_v<Shape>);

    if (!value.isObject()) return failKind("an object", value);
    std::vector<std::string_view> legal;
    for (const Shape& shape : shapes) legal.push_back(shapeName(shape));
    const Value* type = value.find("type");
    if (type == nullptr) return fail("a shape needs the key \"type\": one of " + json::joined(legal));

    const Shape* known = nullptr;
    const bool typeIsRight = within("type", [&] {
        std::string word;
        if (!read(*type, word)) return false;
        for (const Shape& shape : shapes)
            if (word == shapeName(shape)) known = &shape;
        return known ||
               fail("unknown shape " + json::quoted(word) + "; the shapes are " + json::joined(legal));
    });
    if (!typeIsRight) return false;
    out.shape = *known;
    if (!object(value, shapeKeys(out.shape), out, std::string("the shape ") + shapeName(out.shape)))
        return false;
    const auto* mesh = std::get_if<ConvexMesh>(&out.shape);
    return mesh == nullptr || facesExist(*mesh);
}

bool Reader::read(const Value& value, ObstacleDescription& out)
{
    if (!value.isObject()) return failKind("an object", value);
    const Value* type = value.find("type");
    if (type == nullptr) return fail("an obstacle needs the key \"type\": plane or sphere");
    std::string word;
    const bool typeIsRight = within("type", [&] {
        if (!read(*type, word)) return false;
        return word == "plane" || word == "sphere" ||
               fail("unknown obstacle " + json::quoted(word) + "; the obstacles are plane, sphere");
    });
    if (!typeIsRight) return false;
    out.type = word == "plane" ? ObstacleDescription::Type::plane : ObstacleDescription::Type::sphere;
    return object(value, obstacleKeys(out.type), out, "the obstacle " + word);
}

}  // namespace

Result<Description> parseScene(std::string_view text, const std::string& fileName)
{
    const Result<Value> syntax = json::parse(text, fileName);
    if (!syntax) return syntax.error();
    Reader reader(fileName);
    Description description;
    if (!reader.read(syntax.value(), description)) return reader.error();
    return description;
}

Diagnostic inFile(Diagnostic diagnostic, const std::string& fileName)
{
    diagnostic.file = fileName;
    return diagnostic;
}

}  // namespace sinew
