// Springs between bodies, the medium and the fields that fill it.
#include "sinew/io/json/reader.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"

namespace sinew::reading {
namespace {

// ---- springs --------------------------------------------------------------------------------------

bool hasForm(const SpringEndDescription& end)
{
    const auto* point = std::get_if<SpringPoint>(&end.form);
    return !point || point->point;
}

// A key that says what the end holds on to: at most one of them.
template <class Form, const Keys<Form>& (*keysOf)()>
Key<SpringEndDescription> formKey(std::string_view name, const char* what)
{
    static const char* called = what;
    return {name, [](Reader& reader, const Value& value, SpringEndDescription& out) {
                if (hasForm(out))
                    return reader.fail("an end is one of point, path, plane, sphere and cylinder");
                Form form;
                if (!reader.object(value, keysOf(), form, called)) return false;
                out.form = std::move(form);
                return true;
            }};
}

const Keys<SpringEndDescription>& endKeys()
{
    using E = SpringEndDescription;
    static const Keys<E> keys = {
        key<E, &E::body>("body"),
        key<E, &E::mesh>("mesh"),
        key<E, &E::vertex>("vertex"),
        {"point",
         [](Reader& reader, const Value& value, E& out) {
             if (hasForm(out))
                 return reader.fail("an end is one of point, path, plane, sphere and cylinder");
             SpringPoint form;
             if (!reader.read(value, form.point)) return false;
             out.form = form;
             return true;
         }},
        formKey<SpringCurve, Reader::curveKeys>("path", "a path"),
        formKey<SpringPlane, Reader::planeKeys>("plane", "a plane"),
        formKey<SpringSphere, Reader::sphereKeys>("sphere", "a sphere"),
        formKey<SpringCylinder, Reader::cylinderKeys>("cylinder", "a cylinder"),
    };
    return keys;
}

// A name alone is the body's centre of mass.
bool readEnd(Reader& reader, const Value& value, SpringEndDescription& out)
{
    if (value.isString()) return reader.read(value, out.body);
    if (!value.isObject()) return reader.failKind("the name of a body or an object", value);
    return reader.object(value, endKeys(), out, "an end of a spring");
}

bool readActs(Reader& reader, const Value& value, SpringDescription& out)
{
    static constexpr std::string_view words[] = {"both", "push", "pull"};
    return reader.word(value, "way to act", words, out.acts);
}

const Keys<SpringDescription>& springKeys()
{
    using S = SpringDescription;
    static const Keys<S> keys = {
        key<S, &S::name>("name"),
        {"first", [](Reader& r, const Value& v, S& out) { return readEnd(r, v, out.first); }, true},
        {"second", [](Reader& r, const Value& v, S& out) { return readEnd(r, v, out.second); }, true},
        key<S, &S::length>("length"),
        key<S, &S::stiffness>("stiffness"),
        key<S, &S::damping>("damping"),
        {"acts", readActs},
        key<S, &S::turnStiffness>("turn_stiffness"),
        key<S, &S::turnDamping>("turn_damping"),
    };
    return keys;
}

// ---- fields ---------------------------------------------------------------------------------------

using F = FieldDescription;

struct FieldKind {
    std::string_view name;
    F::Type type;
    Keys<F> keys;
};

Keys<F> withCommonKeys(Keys<F> own)
{
    Keys<F> keys = {
        // Known before the others are read: it says which of them are legal.
        {"type", [](Reader&, const Value&, F&) { return true; }, true},
        key<F, &F::name>("name"),
        key<F, &F::signal>("signal"),
    };
    keys.insert(keys.end(), own.begin(), own.end());
    return keys;
}

bool readPerMass(Reader& reader, const Value& value, F& out)
{
    static constexpr std::string_view words[] = {"acceleration", "force"};
    bool isForce = false;
    if (!reader.word(value, "kind of attraction", words, isForce)) return false;
    out.byMass = !isForce;
    return true;
}

const std::vector<FieldKind>& fieldKinds()
{
    static const std::vector<FieldKind> kinds = {
        {"wind", F::Type::wind, withCommonKeys({key<F, &F::velocity>("velocity", true)})},
        {"gusts", F::Type::gusts,
         withCommonKeys({key<F, &F::speed>("speed", true), key<F, &F::size>("size", true),
                         key<F, &F::duration>("duration"), key<F, &F::velocity>("velocity"),
                         key<F, &F::seed>("seed"), key<F, &F::position>("position"),
                         key<F, &F::orientation>("orientation"), key<F, &F::mirrored>("mirrored")})},
        {"vortex", F::Type::vortex,
         withCommonKeys({key<F, &F::position>("position"), key<F, &F::axis>("axis"),
                         key<F, &F::radius>("radius", true), key<F, &F::speed>("speed", true)})},
        {"attractor", F::Type::attractor,
         withCommonKeys({key<F, &F::position>("position"),
                         key<F, &F::strength>("strength", true),
                         key<F, &F::exponent>("exponent"),
                         key<F, &F::softening>("softening"),
                         {"gives", readPerMass}})},
    };
    return kinds;
}

const Keys<MediumDescription>& mediumKeys()
{
    using M = MediumDescription;
    static const Keys<M> keys = {key<M, &M::viscosity>("viscosity"), key<M, &M::density>("density")};
    return keys;
}

const Keys<DragDescription>& dragKeys()
{
    using D = DragDescription;
    static const Keys<D> keys = {key<D, &D::radius>("radius"), key<D, &D::area>("area"),
                                 key<D, &D::coefficient>("coefficient")};
    return keys;
}

}  // namespace

const Keys<SpringCurve>& Reader::curveKeys()
{
    using C = SpringCurve;
    static const Keys<C> keys = {key<C, &C::points>("points", true), key<C, &C::smooth>("smooth"),
                                 key<C, &C::closed>("closed")};
    return keys;
}
const Keys<SpringPlane>& Reader::planeKeys()
{
    using P = SpringPlane;
    static const Keys<P> keys = {key<P, &P::point>("point", true), key<P, &P::normal>("normal", true)};
    return keys;
}
const Keys<SpringSphere>& Reader::sphereKeys()
{
    using S = SpringSphere;
    static const Keys<S> keys = {key<S, &S::center>("center", true), key<S, &S::radius>("radius", true)};
    return keys;
}
const Keys<SpringCylinder>& Reader::cylinderKeys()
{
    using C = SpringCylinder;
    static const Keys<C> keys = {key<C, &C::point>("point", true), key<C, &C::axis>("axis", true),
                                 key<C, &C::radius>("radius", true)};
    return keys;
}

bool Reader::read(const Value& value, SpringDescription& out)
{
    return object(value, springKeys(), out, "a spring");
}

bool Reader::read(const Value& value, MediumDescription& out)
{
    return object(value, mediumKeys(), out, "a medium");
}

bool Reader::read(const Value& value, DragDescription& out)
{
    return object(value, dragKeys(), out, "drag");
}

bool Reader::read(const Value& value, FieldDescription& out)
{
    if (!value.isObject()) return failKind("an object", value);
    std::vector<std::string_view> legal;
    for (const FieldKind& kind : fieldKinds()) legal.push_back(kind.name);
    const Value* type = value.find("type");
    if (type == nullptr) return fail("a field needs the key \"type\": one of " + words::joined(legal));
    const FieldKind* known = nullptr;
    const bool typeIsRight = within("type", [&] {
        if (!word(*type, "field", legal, out.type)) return false;
        known = &fieldKinds()[static_cast<std::size_t>(out.type)];
        return true;
    });
    return typeIsRight && object(value, known->keys, out, "the field " + std::string(known->name));
}

}  // namespace sinew::reading
