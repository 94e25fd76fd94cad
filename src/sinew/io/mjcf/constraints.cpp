// <equality>, which closes loops and couples joints, and <tendon>, whose springs are ours where they are
// straight.
//
//     connect     a ball joint between two bodies          weld    a weld
//     joint       a coupling: y = a₀ + a₁ x, both counted from the rest pose
//     tendon      the same of fixed tendons, c₁ q₁ + c₂ q₂ = a₀, or c₁ q₁ = a₀ + a₁ c₂ q₂
//     spatial     between two sites, with nothing to run around: a spring and damper along the line
//     fixed       of one joint: that joint's spring and damper, c² k and c² d
//
// MuJoCo's constraints are soft and these are not; what it does to make them firm (solref, solimp) has no
// meaning here.
#include <cmath>

#include "sinew/base/text.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/model/springs.h"

namespace sinew::mjcf {
namespace {

struct FixedTendon {
    struct Part {
        std::string joint;
        double factor = 1;
    };
    std::vector<Part> parts;
};

class Constraints {
public:
    explicit Constraints(Context& context) : context_(context), reader_(context.reader) {}

    void tendon(const Element& element)
    {
        if (element.name == "spatial")
            spatial(element);
        else if (element.name == "fixed")
            fixed(element);
        else
            context_.notes.add(element, "in <tendon> is not read");
    }

    void equality(const Element& element)
    {
        if (!reader_.boolean(element, "active").value_or(true))
            return context_.notes.add(element, "that is not active is left out");
        if (element.name == "connect" || element.name == "weld")
            hold(element);
        else if (element.name == "joint")
            coupleJoints(element);
        else if (element.name == "tendon")
            coupleTendons(element);
        else
            context_.notes.add(element, "in <equality> is not read");
    }

private:
    // ---- loops ----------------------------------------------------------------------------------------

    struct Place {
        std::string body;
        std::optional<Vec3> position;  // world, at rest
    };

    Place bodyPlace(const Element& element, const char* key, const Vec3& local)
    {
        const std::optional<std::string> name = reader_.name(element, key);
        if (!name || *name == "world") return {"world", {}};
        const auto pose = context_.poses.find(*name);
        if (pose == context_.poses.end()) {
            if (mayBeLeftOut(context_, element, *name))
                isMissing_ = true;
            else
                reader_.fail(element, key, "is not a body of this file");
            return {};
        }
        return {*name, pose->second * local};
    }

    std::optional<Place> sitePlace(const Element& element, const char* key)
    {
        const std::string name = reader_.requiredName(element, key);
        const auto site = context_.sites.find(name);
        if (!reader_.failed() && site == context_.sites.end()) {
            if (mayBeLeftOut(context_, element, name))
                isMissing_ = true;
            else
                reader_.fail(element, key, "is not a site of this file");
        }
        if (reader_.failed() || isMissing_) return {};
        return Place{site->second.body, site->second.position};
    }

    void hold(const Element& element)
    {
        const bool isWeld = element.name == "weld";
        noteUnread(context_, element,
                   {"body1", "body2", "anchor", "site1", "site2", "relpose", "active", "solref", "solimp",
                    "torquescale"});
        if (holdPoint(element)) return;
        Place first, second;
        isMissing_ = false;
        if (element.find("site1")) {
            const std::optional<Place> a = sitePlace(element, "site1"), b = sitePlace(element, "site2");
            if (reader_.failed() || !a || !b) return;
            first = *a;
            second = *b;
            const double size = (first.position->norm() + second.position->norm()) * 1e-6 + 1e-9;
            if ((*first.position - *second.position).norm() > size)
                return context_.notes.add(element, "whose sites are apart in the rest pose is left out");
        } else {
            if (!isWeld && !element.find("anchor"))
                reader_.fail(element, "anchor", "is missing; it is required");
            if (!element.find("body1")) reader_.fail(element, "body1", "is missing; it is required");
            const Vec3 anchor = reader_.vector(element, "anchor").value_or(Vec3::Zero());
            first = bodyPlace(element, "body1", isWeld ? Vec3(Vec3::Zero()) : anchor);
            second = bodyPlace(element, "body2", Vec3::Zero());
        }
        if (reader_.failed() || isMissing_) return;
        if (first.body == second.body) return reader_.fail(element, "ties a body to itself");
        if (isWeld && poseDiffers(element))
            context_.notes.add(element, "holds its bodies as they are at rest; its relpose is not read");
        JointDescription joint;
        joint.name = uniqueName(context_.jointNames,
                                reader_.name(element, "name").value_or(first.body + "_" + second.body));
        joint.type = isWeld ? JointType::weld : JointType::spherical;
        // The world comes first, as everywhere.
        joint.first = second.body == "world" ? second.body : first.body;
        joint.second = second.body == "world" ? first.body : second.body;
        joint.position = first.position ? *first.position : *second.position;
        context_.out.scene.joints.push_back(std::move(joint));
    }

    // A point of a <flexcomp>, which is a body of its own in MuJoCo.
    bool holdPoint(const Element& element)
    {
        const std::string a = reader_.name(element, "body1").value_or("world");
        const std::string b = reader_.name(element, "body2").value_or("world");
        for (const auto& [point, body] : {std::pair(a, b), std::pair(b, a)})
            if (!context_.poses.contains(point) && (body == "world" || context_.poses.contains(body)) &&
                pinFlexVertex(context_, point, body))
                return true;
        return false;
    }

    bool poseDiffers(const Element& element)
    {
        const std::vector<double> pose = reader_.numbers(element, "relpose", 7, 7);
        if (pose.empty()) return false;
        // A quaternion of zero means: as at rest.
        return std::abs(pose[3]) + std::abs(pose[4]) + std::abs(pose[5]) + std::abs(pose[6]) > 0;
    }

    // ---- couplings ------------------------------------------------------------------------------------

    const Context::JointInfo* coupled(const Element& element, const std::string& name)
    {
        const auto found = context_.joints.find(name);
        if (found == context_.joints.end()) {
            if (!mayBeLeftOut(context_, element, name))
                reader_.fail(element, quotedName(name) + " is not a joint of this file");
            return nullptr;
        }
        const JointType type = found->second.type;
        if (type == JointType::hinge || type == JointType::slide) return &found->second;
        context_.notes.add(element, "of a ball or free joint is left out");
        return nullptr;
    }

    // a₀ and a₁ of polycoef.
    std::array<double, 2> readLine(const Element& element)
    {
        const std::vector<double> all = reader_.numbers(element, "polycoef", 1, 5);
        const auto at = [&](std::size_t i, double otherwise) {
            return i < all.size() ? all[i] : otherwise;
        };
        for (std::size_t i = 2; i < all.size(); ++i)
            if (all[i] != 0)
                context_.notes.add(element, "is straight here; powers in its polycoef are not read");
        return {at(0, 0), at(1, 1)};
    }

    void couple(const Element& element, const std::string& follower, const std::string& leader,
                double ratio, double offset)
    {
        const Context::JointInfo* own = coupled(element, follower);
        const Context::JointInfo* other = coupled(element, leader);
        if (!own || !other) return;
        if (follower == leader) return reader_.fail(element, "couples a joint to itself");
        if (!followers_.insert(follower).second)
            return context_.notes.add(element, "of a joint that follows another one already is left out");
        context_.out.scene.couplings.push_back({follower, leader, ratio, offset});
        if (offset != 0) context_.out.scene.joints[own->index].coordinate = {offset};
    }

    void coupleJoints(const Element& element)
    {
        noteUnread(context_, element, {"joint1", "joint2", "polycoef", "active", "solref", "solimp"});
        const std::string follower = reader_.requiredName(element, "joint1");
        const std::optional<std::string> leader = reader_.name(element, "joint2");
        const auto [offset, ratio] = readLine(element);
        if (reader_.failed()) return;
        if (!leader) return context_.notes.add(element, "that holds a single joint is left out");
        couple(element, follower, *leader, ratio, offset);
    }

    void coupleTendons(const Element& element)
    {
        const std::string first = reader_.requiredName(element, "tendon1");
        const std::optional<std::string> second = reader_.name(element, "tendon2");
        const auto [offset, ratio] = readLine(element);
        if (reader_.failed()) return;
        const auto a = fixed_.find(first), b = second ? fixed_.find(*second) : fixed_.end();
        if (a == fixed_.end() || (second && b == fixed_.end()))
            return context_.notes.add(element, "of a tendon that is not fixed is left out");
        const auto& own = a->second.parts;
        if (!second && own.size() == 2 && own[0].factor != 0)
            return couple(element, own[0].joint, own[1].joint, -own[1].factor / own[0].factor,
                          offset / own[0].factor);
        if (second && own.size() == 1 && b->second.parts.size() == 1 && own[0].factor != 0) {
            const auto& other = b->second.parts[0];
            return couple(element, own[0].joint, other.joint, ratio * other.factor / own[0].factor,
                          offset / own[0].factor);
        }
        context_.notes.add(element, "of more than two joints is left out");
    }

    // ---- tendons --------------------------------------------------------------------------------------

    double notNegative(const Element& element, const char* key)
    {
        const double value = reader_.number(element, key).value_or(0);
        if (value < 0) reader_.fail(element, key, "is negative; it must be zero or more");
        return value;
    }

    void fixed(const Element& element)
    {
        FixedTendon tendon;
        for (const Element& part : element.children) {
            const std::string joint = reader_.requiredName(part, "joint");
            const double factor = reader_.number(part, "coef").value_or(1);
            if (!reader_.failed() && !context_.joints.contains(joint)) {
                if (mayBeLeftOut(context_, part, joint)) continue;
                reader_.fail(part, "joint", "is not a joint of this file");
            }
            if (reader_.failed()) return;
            tendon.parts.push_back({joint, factor});
        }
        const double stiffness = notNegative(element, "stiffness"),
                     damping = notNegative(element, "damping");
        if (reader_.failed()) return;
        noteTendon(element);
        if (stiffness > 0 || damping > 0) {
            if (tendon.parts.size() == 1)
                addSpring(element, tendon.parts[0], stiffness, damping);
            else
                context_.notes.add(element, "of several joints: its stiffness and damping are left out");
        }
        if (const auto name = reader_.name(element, "name")) fixed_[*name] = std::move(tendon);
    }

    void addSpring(const Element& element, const FixedTendon::Part& part, double stiffness, double damping)
    {
        const Context::JointInfo* info = coupled(element, part.joint);
        if (!info || part.factor == 0) return;
        JointDescription& joint = context_.out.scene.joints[info->index];
        const double k = stiffness * part.factor * part.factor;
        const std::vector<double> slack = reader_.numbers(element, "springlength", 1, 2);
        const double own = joint.rest.empty() ? 0 : joint.rest[0];
        const double rest = slack.empty() || slack[0] < 0 ? 0 : slack[0] / part.factor - info->reference;
        const double both = joint.stiffness * own + k * rest;
        joint.stiffness += k;
        joint.damping += damping * part.factor * part.factor;
        if (both != 0) joint.rest = {both / joint.stiffness};
    }

    void spatial(const Element& element)
    {
        const double stiffness = notNegative(element, "stiffness"),
                     damping = notNegative(element, "damping");
        if (reader_.failed()) return;
        noteTendon(element);
        if (stiffness == 0 && damping == 0) return;
        const bool isStraight = element.children.size() == 2 && element.children[0].name == "site" &&
                                element.children[1].name == "site";
        if (!isStraight)
            return context_.notes.add(element, "that runs through more than two sites is left out");
        isMissing_ = false;
        const std::optional<Place> a = sitePlace(element.children[0], "site");
        const std::optional<Place> b = sitePlace(element.children[1], "site");
        if (reader_.failed() || !a || !b) return;
        if (a->body == b->body) return;  // its length never changes
        SpringDescription spring;
        spring.name = reader_.name(element, "name").value_or(std::string());
        spring.first.body = a->body;
        spring.first.form = SpringPoint{*a->position};
        spring.second.body = b->body;
        spring.second.form = SpringPoint{*b->position};
        spring.stiffness = stiffness;
        spring.damping = damping;
        const std::vector<double> slack = reader_.numbers(element, "springlength", 1, 2);
        if (slack.size() == 2 && slack[0] != slack[1])
            context_.notes.add(element, "is slack at one length here; the middle of its springlength");
        if (!slack.empty() && slack[0] >= 0) spring.length = 0.5 * (slack.front() + slack.back());
        context_.out.scene.springs.push_back(std::move(spring));
    }

    void noteTendon(const Element& element)
    {
        noteUnread(context_, element,
                   {"stiffness", "damping", "springlength", "width", "solreflimit", "solimplimit",
                    "solreffriction", "solimpfriction", "margin"});
    }

    Context& context_;
    xml::Reader& reader_;
    std::map<std::string, FixedTendon> fixed_;
    std::set<std::string> followers_;
    bool isMissing_ = false;  // something that is named, but was left out
};

}  // namespace

void readConstraints(Context& context, const Element& root)
{
    Constraints constraints(context);
    // Tendons first: <equality> names them.
    for (std::string_view section : {"tendon", "equality"}) {
        for (const Element& part : root.children) {
            if (part.name != section) continue;
            for (const Element& child : part.children) {
                if (context.reader.failed()) return;
                const InModelOf model(context, child);
                const Element full =
                    context.model->defaults.complete(child, "", context.reader, std::string(section));
                if (context.reader.failed()) return;
                section == "tendon" ? constraints.tendon(full) : constraints.equality(full);
            }
        }
        if (section == "tendon") setSpringLengths(context);
    }
}

}  // namespace sinew::mjcf
