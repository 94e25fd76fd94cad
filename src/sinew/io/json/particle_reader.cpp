// Particle systems: emitters, what each particle gets, what becomes of it.
#include "sinew/io/json/reader.h"
#include "sinew/model/particles.h"

namespace sinew::reading {
namespace {

using D = ParticlesDescription;

// A number, {"from", "to"} or {"mean", "deviation"}.
struct SpreadKeys {
    std::optional<double> from, to, mean, deviation;
};

bool readSpread(Reader& reader, const Value& value, Spread& out)
{
    using K = SpreadKeys;
    static const Keys<K> keys = {key<K, &K::from>("from"), key<K, &K::to>("to"), key<K, &K::mean>("mean"),
                                 key<K, &K::deviation>("deviation")};
    constexpr const char* forms = "a number, {\"from\", \"to\"} or {\"mean\", \"deviation\"} is expected";
    if (value.isNumber()) {
        out = {Spread::Kind::constant, value.number(), 0};
        return true;
    }
    if (!value.isObject())
        return reader.failKind("a number, or an object with from and to or mean and deviation,", value);
    K read;
    if (!reader.object(value, keys, read, "a spread")) return false;
    if (read.from && read.to && !read.mean && !read.deviation)
        out = {Spread::Kind::uniform, *read.from, *read.to};
    else if (read.mean && read.deviation && !read.from && !read.to)
        out = {Spread::Kind::normal, *read.mean, *read.deviation};
    else
        return reader.fail(forms);
    return true;
}

template <auto member, class T>
Key<T> spreadKey(std::string_view name)
{
    return {name, [](Reader& reader, const Value& value, T& out) {
                return readSpread(reader, value, out.*member);
            }};
}

// ---- velocities at birth -------------------------------------------------------------------------

struct VelocityKeys {
    std::optional<Vec3> direction, from, to, mean, deviation;
    std::optional<Spread> speed;
    double angle = 0;
};

bool readVelocity(Reader& reader, const Value& value, BirthVelocity& out)
{
    using K = VelocityKeys;
    static const Keys<K> keys = {
        key<K, &K::direction>("direction"),
        {"speed", [](Reader& r, const Value& v, K& k) { return readSpread(r, v, k.speed.emplace()); }},
        key<K, &K::angle>("angle"),
        key<K, &K::from>("from"),
        key<K, &K::to>("to"),
        key<K, &K::mean>("mean"),
        key<K, &K::deviation>("deviation"),
    };
    if (value.isArray()) {
        out.kind = BirthVelocity::Kind::fixed;
        return reader.read(value, out.value);
    }
    if (!value.isObject()) return reader.failKind("a list of 3 numbers or an object", value);
    K read;
    if (!reader.object(value, keys, read, "a velocity at birth")) return false;
    const bool isCone = read.speed.has_value(), isBox = read.from && read.to,
               isNormal = read.mean && read.deviation;
    if (isCone + isBox + isNormal != 1 || (!isBox && (read.from || read.to)) ||
        (!isNormal && (read.mean || read.deviation)) || (!isCone && (read.direction || read.angle != 0)))
        return reader.fail(
            "a velocity at birth is a list, {\"speed\", \"direction\", \"angle\"}, {\"from\", \"to\"} or "
            "{\"mean\", "
            "\"deviation\"}");
    if (isCone) {
        out.kind = BirthVelocity::Kind::cone;
        out.direction = read.direction.value_or(Vec3(0, 1, 0));
        out.speed = *read.speed;
        out.angle = read.angle;
    } else {
        out.kind = isBox ? BirthVelocity::Kind::box : BirthVelocity::Kind::normal;
        out.value = isBox ? *read.from : *read.mean;
        out.other = isBox ? *read.to : *read.deviation;
    }
    return true;
}

// ---- emitters ------------------------------------------------------------------------------------

using E = EmitterDescription;

const Keys<E>& emitterKeys(E::Type type)
{
    static const Keys<E> shared = {
        {"type", [](Reader&, const Value&, E&) { return true; }, true},
        key<E, &E::body>("body"),
        positionKey<E>(),
        orientationKey<E>(),
        key<E, &E::inherit>("inherit"),
    };
    const auto with = [](Keys<E> own) {
        Keys<E> all = shared;
        all.insert(all.end(), own.begin(), own.end());
        return all;
    };
    static const Keys<E> round = with({key<E, &E::radius>("radius", true), key<E, &E::surface>("surface")});
    static const Keys<E> mesh = with({
        {"vertices", [](Reader& r, const Value& v, E& e) { return r.read(v, e.mesh.vertices); }, true},
        {"faces", [](Reader& r, const Value& v, E& e) { return r.read(v, e.mesh.faces); }, true},
    });
    static const Keys<E> body = {
        {"type", [](Reader&, const Value&, E&) { return true; }, true},
        key<E, &E::body>("body", true),
        key<E, &E::inherit>("inherit"),
    };
    return type == E::Type::disc || type == E::Type::sphere ? round
           : type == E::Type::mesh                          ? mesh
           : type == E::Type::body                          ? body
                                                            : shared;
}

bool readEmitter(Reader& reader, const Value& value, E& out)
{
    static constexpr std::string_view types[] = {"point", "disc", "sphere", "mesh", "body"};
    if (!value.isObject()) return reader.failKind("an object", value);
    const Value* type = value.find("type");
    if (type == nullptr)
        return reader.fail("an emitter needs the key \"type\": one of " + words::joined(types));
    if (!reader.within("type", [&] { return reader.word(*type, "emitter", types, out.type); }))
        return false;
    if (!reader.object(value, emitterKeys(out.type), out,
                       "the emitter " + std::string(types[static_cast<int>(out.type)])))
        return false;
    return reader.facesExist(out.mesh.faces, out.mesh.vertices.size());
}

// ---- curves over life ----------------------------------------------------------------------------

bool readLifeKey(Reader& reader, const Value& value, LifeKey& out)
{
    std::array<double, 2> pair{};
    if (!reader.read(value, pair)) return false;
    out = {pair[0], pair[1]};
    return true;
}

bool readLifeColor(Reader& reader, const Value& value, LifeColor& out)
{
    if (!value.isArray() || value.items().size() != 2)
        return reader.fail("a pair [part of life, [red, green, blue]] is expected");
    return reader.within(std::size_t{0}, [&] { return reader.read(value.items()[0], out.life); }) &&
           reader.within(std::size_t{1}, [&] { return reader.read(value.items()[1], out.color); });
}

template <class T>
bool readKeys(Reader& reader, const Value& value, std::vector<T>& out,
              bool (*readOne)(Reader&, const Value&, T&))
{
    if (!value.isArray()) return reader.failKind("a list", value);
    for (std::size_t i = 0; i < value.items().size(); ++i)
        if (!reader.within(i, [&] { return readOne(reader, value.items()[i], out.emplace_back()); }))
            return false;
    return true;
}

bool readOverLife(Reader& reader, const Value& value, D& out)
{
    static const Keys<D> keys = {
        {"size",
         [](Reader& r, const Value& v, D& d) { return readKeys(r, v, d.sizeOverLife, readLifeKey); }},
        {"opacity",
         [](Reader& r, const Value& v, D& d) { return readKeys(r, v, d.opacityOverLife, readLifeKey); }},
        {"drag",
         [](Reader& r, const Value& v, D& d) { return readKeys(r, v, d.dragOverLife, readLifeKey); }},
        {"color",
         [](Reader& r, const Value& v, D& d) { return readKeys(r, v, d.colorOverLife, readLifeColor); }},
    };
    return reader.object(value, keys, out, "over_life");
}

// ---- the rest ------------------------------------------------------------------------------------

bool readColor(Reader& reader, const Value& value, D& out)
{
    struct K {
        Vec3 from = Vec3::Ones(), to = Vec3::Ones();
    };
    static const Keys<K> keys = {key<K, &K::from>("from", true), key<K, &K::to>("to", true)};
    if (!value.isObject()) return reader.read(value, out.color);
    K read;
    if (!reader.object(value, keys, read, "a color")) return false;
    out.color = read.from;
    out.otherColor = read.to;
    return true;
}

// "poisson", "even", or how far the rate goes up and down.
bool readSpreadOfBirths(Reader& reader, const Value& value, D& out)
{
    if (value.isNumber()) {
        out.births = D::Births::uniform;
        return reader.read(value, out.rateSpread);
    }
    static constexpr std::string_view kinds[] = {"poisson", "even"};
    std::size_t kind = 0;
    if (!reader.word(value, "spread", kinds, kind)) return false;
    out.births = kind == 0 ? D::Births::poisson : D::Births::even;
    return true;
}

bool readBurst(Reader& reader, const Value& value, Burst& out)
{
    static const Keys<Burst> keys = {key<Burst, &Burst::time>("time"),
                                     key<Burst, &Burst::count>("count", true),
                                     key<Burst, &Burst::every>("every")};
    return reader.object(value, keys, out, "a burst");
}

bool readTarget(Reader& reader, const Value& value, D& out)
{
    using T = ParticleTargetDescription;
    static const Keys<T> keys = {
        key<T, &T::stiffness>("stiffness"), key<T, &T::damping>("damping"), key<T, &T::path>("path"),
        key<T, &T::smooth>("smooth"),       key<T, &T::body>("body"),       key<T, &T::point>("point"),
    };
    return reader.object(value, keys, out.target.emplace(), "a target of particles");
}

// true is a bounce as it is without a word.
bool readBounce(Reader& reader, const Value& value, D& out)
{
    using B = BounceDescription;
    static const Keys<B> keys = {
        {"response",
         [](Reader& r, const Value& v, B& b) {
             static constexpr std::string_view words[] = {"kinematic", "penalty"};
             return r.word(v, "response", words, b.response);
         }},
        key<B, &B::keep>("keep"),
        key<B, &B::friction>("friction"),
        {"time",
         [](Reader& r, const Value& v, B& b) {
             static constexpr std::string_view words[] = {"step", "fraction"};
             return r.word(v, "time", words, b.atFraction);
         }},
        key<B, &B::stiffness>("stiffness"),
        key<B, &B::damping>("damping"),
        key<B, &B::dies>("dies"),
    };
    if (value.kind() == Kind::boolean) {
        if (value.boolean()) out.bounce.emplace();
        return true;
    }
    return reader.object(value, keys, out.bounce.emplace(), "a bounce");
}

bool readTrail(Reader& reader, const Value& value, D& out)
{
    static const Keys<D> keys = {key<D, &D::trail>("places", true), key<D, &D::trailEvery>("every")};
    return reader.object(value, keys, out, "a trail");
}

bool readShape(Reader& reader, const Value& value, D& out)
{
    static constexpr std::string_view shapes[] = {"point", "streak", "sprite", "sphere"};
    return reader.word(value, "shape", shapes, out.shape);
}

}  // namespace

bool Reader::read(const Value& value, ParticlesDescription& out)
{
    static const Keys<D> keys = {
        key<D, &D::name>("name", true),
        {"emitter", [](Reader& r, const Value& v, D& d) { return readEmitter(r, v, d.emitter); }, true},
        key<D, &D::rate>("rate"),
        {"spread", readSpreadOfBirths},
        key<D, &D::from>("from"),
        key<D, &D::until>("until"),
        {"bursts", [](Reader& r, const Value& v, D& d) { return readKeys(r, v, d.bursts, readBurst); }},
        key<D, &D::most>("most"),
        key<D, &D::seed>("seed"),
        {"velocity", [](Reader& r, const Value& v, D& d) { return readVelocity(r, v, d.velocity); }},
        spreadKey<&D::outward, D>("outward"),
        spreadKey<&D::life, D>("life"),
        spreadKey<&D::size, D>("size"),
        spreadKey<&D::opacity, D>("opacity"),
        {"color", readColor},
        {"shape", readShape},
        key<D, &D::shadow>("shadow"),
        key<D, &D::emission>("emission"),
        {"over_life", readOverLife},
        key<D, &D::mass>("mass"),
        key<D, &D::density>("density"),
        key<D, &D::dragCoefficient>("drag_coefficient"),
        key<D, &D::gravity>("gravity"),
        {"target", readTarget},
        {"bounce", readBounce},
        {"trail", readTrail},
    };
    return object(value, keys, out, "particles");
}

}  // namespace sinew::reading
