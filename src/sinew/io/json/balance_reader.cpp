// Figures that balance themselves, and what they do of their own.
#include "sinew/io/json/reader.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"

namespace sinew::reading {
namespace {

using B = BalanceDescription;

const Keys<StrengthDescription>& strengthKeys()
{
    using S = StrengthDescription;
    static const Keys<S> keys = {
        key<S, &S::stiffness>("stiffness"),
        key<S, &S::damping>("damping"),
        key<S, &S::limit>("limit"),
        key<S, &S::limits>("limits"),
    };
    return keys;
}

template <class T>
bool readStrengths(Reader& reader, const Value& value, T& out)
{
    return reader.named(value, out.joints,
                        [&](const Value& one, const std::string& name, StrengthDescription& strength) {
                            strength.joint = name;
                            return reader.object(one, strengthKeys(), strength, "the strength of a joint");
                        });
}

template <class T>
bool readPose(Reader& reader, const Value& value, T& out)
{
    return reader.named(value, out.pose,
                        [&](const Value& one, const std::string& name, JointPoseDescription& pose) {
                            pose.joint = name;
                            if (one.isNumber()) return reader.read(one, pose.coordinate.emplace_back());
                            return reader.read(one, pose.coordinate);
                        });
}

const Keys<B::Step>& capturingStepKeys()
{
    using S = B::Step;
    static const Keys<S> keys = {
        key<S, &S::time>("time"),   key<S, &S::lift>("lift"),       key<S, &S::reach>("reach"),
        key<S, &S::width>("width"), key<S, &S::further>("further"),
    };
    return keys;
}

const Keys<B::State>& gaitStateKeys()
{
    using S = B::State;
    static const Keys<S> keys = {
        key<S, &S::name>("name", true), key<S, &S::stance>("stance", true), key<S, &S::time>("time"),
        key<S, &S::touch>("touch"),     key<S, &S::next>("next", true),     {"pose", readPose<B::State>},
        key<S, &S::lean>("lean"),       key<S, &S::distance>("distance"),   key<S, &S::speed>("speed"),
    };
    return keys;
}

bool readStates(Reader& reader, const Value& value, B::Gait& out)
{
    if (!value.isArray()) return reader.failKind("a list", value);
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        const auto readOne = [&] {
            return reader.object(value.items()[i], gaitStateKeys(), out.states.emplace_back(),
                                 "a state of a gait");
        };
        if (!reader.within(i, readOne)) return false;
    }
    return true;
}

const Keys<B::Gait>& gaitKeys()
{
    using G = B::Gait;
    static const Keys<G> keys = {
        {"states", readStates, true}, key<G, &G::start>("start"),     key<G, &G::from>("from"),
        key<G, &G::until>("until"),   key<G, &G::heading>("heading"),
    };
    return keys;
}

const Keys<B>& balanceKeys()
{
    static const Keys<B> keys = {
        key<B, &B::body>("body", true),
        key<B, &B::feet>("feet", true),
        key<B, &B::forward>("forward"),
        {"joints", readStrengths<B>, true},
        key<B, &B::stiffness>("stiffness"),
        key<B, &B::damping>("damping"),
        key<B, &B::sole>("sole"),
        {"step",
         [](Reader& reader, const Value& value, B& out) {
             return reader.object(value, capturingStepKeys(), out.step.emplace(), "a step");
         }},
        {"gait", [](Reader& reader, const Value& value,
                    B& out) { return reader.object(value, gaitKeys(), out.gait.emplace(), "a gait"); }},
        key<B, &B::weight>("weight"),
    };
    return keys;
}

using A = ActionDescription;

const Keys<A::Key>& actionKeyKeys()
{
    using K = A::Key;
    static const Keys<K> keys = {key<K, &K::time>("time", true), {"pose", readPose<K>, true}};
    return keys;
}

bool readActionKeys(Reader& reader, const Value& value, A& out)
{
    if (!value.isArray()) return reader.failKind("a list", value);
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        const auto readOne = [&] {
            return reader.object(value.items()[i], actionKeyKeys(), out.keys.emplace_back(),
                                 "a key of an action");
        };
        if (!reader.within(i, readOne)) return false;
    }
    return true;
}

const Keys<A>& actionKeys()
{
    static const Keys<A> keys = {
        key<A, &A::name>("name"),     {"joints", readStrengths<A>, true}, {"keys", readActionKeys, true},
        key<A, &A::smooth>("smooth"), key<A, &A::weight>("weight"),
    };
    return keys;
}

}  // namespace

bool Reader::read(const Value& value, BalanceDescription& out)
{
    return object(value, balanceKeys(), out, "a balance");
}

bool Reader::read(const Value& value, ActionDescription& out)
{
    return object(value, actionKeys(), out, "an action");
}

}  // namespace sinew::reading
