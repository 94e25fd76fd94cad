// The same model read by MuJoCo and by us, compared in random states: places of bodies, mass matrix, bias
// forces (gravity and velocity products), passive joint forces (springs and dampers) and accelerations.
//
// Off on both sides: contact, limits, dry friction, tendons, equality constraints and actuators. Mesh geoms
// are taken out of the text that both read, since their files are not there.
//
// MuJoCo's free joint has the velocity of the body's origin in world axes, ours that of the centre of mass;
// its world is z-up, ours y-up. With u = A(q) v, v MuJoCo's velocities, its mass matrix is Aᵀ M A, its bias
// Aᵀ (b + M Ȧ v), its accelerations a with A a + Ȧ v = u̇.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "sinew/base/random.h"
#include "sinew/dynamics/inverse.h"
#include "sinew/dynamics/methods.h"
#include "sinew/dynamics/work.h"
#include "sinew/force/laws.h"
#include "sinew/io/json/json.h"
#include "sinew/io/mjcf/mjcf.h"
#include "sinew/math/dense_solve.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"
#include "support/sample_data.h"

namespace sinew {
namespace {

constexpr int states = 100;
constexpr double agreement = 1e-8;  // relative; what both do in doubles, through different recursions
constexpr double agreementOfMeshes =
    2e-7;  // MuJoCo keeps vertices and volumes of meshes in single precision

// ---- the text that both read ---------------------------------------------------------------------------

std::set<std::string> meshClasses(const xml::Element& element, bool inherited)
{
    std::set<std::string> found;
    for (const xml::Element& child : element.children) {
        if (child.name != "geom") continue;
        const xml::Attribute* type = child.find("type");
        if (type) inherited = type->value == "mesh";
        if (child.find("mesh")) inherited = true;
    }
    const xml::Attribute* name = element.find("class");
    if (name && inherited) found.insert(name->value);
    for (const xml::Element& child : element.children)
        if (child.name == "default") found.merge(meshClasses(child, inherited));
    return found;
}

bool isMesh(const xml::Element& element, const std::set<std::string>& classes)
{
    if (element.name == "mesh") return true;
    if (element.name != "geom") return false;
    if (element.find("mesh")) return true;
    if (const xml::Attribute* type = element.find("type")) return type->value == "mesh";
    const xml::Attribute* name = element.find("class");
    return name && classes.contains(name->value);
}

void stripMeshes(xml::Element& element, const std::set<std::string>& classes)
{
    if (element.name == "default")  // where the geom says what inherits it
        for (xml::Element& child : element.children)
            std::erase_if(child.attributes, [](const xml::Attribute& a) { return a.name == "mesh"; });
    std::erase_if(element.children, [&](const xml::Element& child) {
        return child.name == "mesh" || (element.name != "default" && isMesh(child, classes));
    });
    for (xml::Element& child : element.children) stripMeshes(child, classes);
}

void write(const xml::Element& element, std::string& out)
{
    out += "<" + element.name;
    for (const xml::Attribute& attribute : element.attributes) {
        out += " " + attribute.name + "=\"";
        for (char c : attribute.value)
            out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
        out += "\"";
    }
    out += ">";
    for (const xml::Element& child : element.children) write(child, out);
    out += "</" + element.name + ">\n";
}

// Where bodies have their mass from meshes alone, the boxes around these weigh instead.
void letBoxesWeigh(xml::Element& element)
{
    if (element.name == "geom")
        std::erase_if(element.attributes,
                      [](const xml::Attribute& a) { return a.name == "mass" && a.value == "0"; });
    for (xml::Element& child : element.children) letBoxesWeigh(child);
}

std::string withoutMeshes(const std::string& path, bool boxesWeigh)
{
    const Result<std::string> text = json::readFile(path);
    EXPECT_TRUE(text) << text.error().text();
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    Result<xml::Element> root = mjcf::parse(text.value(), path, [&](const std::string& name) {
        return json::readFile((folder / name).string());
    });
    EXPECT_TRUE(root) << root.error().text();
    std::set<std::string> classes;
    for (const xml::Element& child : root.value().children)
        if (child.name == "default") classes.merge(meshClasses(child, false));
    stripMeshes(root.value(), classes);
    if (boxesWeigh) letBoxesWeigh(root.value());
    std::string out;
    write(root.value(), out);
    return out;
}

// ---- the two models ------------------------------------------------------------------------------------

struct FreeMuJoCo {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
};

enum class Tendons { off, on };

std::unique_ptr<mjModel, FreeMuJoCo> loadMuJoCo(const std::string& text, Tendons tendons)
{
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[1000] = "";
    std::unique_ptr<mjModel, FreeMuJoCo> model(mj_loadXML("model.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    EXPECT_TRUE(model) << error;
    if (!model) return model;
    model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_ACTUATION;
    model->opt.density = model->opt.viscosity = 0;
    for (int i = 0; i < model->ntendon && tendons == Tendons::off; ++i)
        model->tendon_stiffness[i] = model->tendon_damping[i] = 0;
    return model;
}

// Without what MuJoCo's model has as constraints.
Model loadOurs(const std::string& text, const mjModel& theirs)
{
    Result<Imported> imported = parseMjcf(text, "model.xml", [](const std::string& name) {
        return Result<std::string>(Diagnostic{"there is no file " + name, "", ""});
    });
    EXPECT_TRUE(imported) << imported.error().text();
    Description& scene = imported.value().scene;
    for (JointDescription& joint : scene.joints) {
        joint.coulomb = 0;
        joint.lower.clear();
        joint.upper.clear();
    }
    for (int i = 0; i < theirs.neq; ++i)
        std::erase_if(scene.joints, [&](const JointDescription& joint) {
            const char* name = mj_id2name(&theirs, mjOBJ_EQUALITY, i);
            return name && joint.name == name;
        });
    scene.couplings.clear();
    scene.motors.clear();
    scene.controllers.clear();
    scene.contact.reset();
    scene.obstacles.clear();
    Result<Model> model = compile(scene);
    EXPECT_TRUE(model) << model.error().text();
    return model ? model.value() : Model();
}

// ---- between them --------------------------------------------------------------------------------------

const Quat yUp = expRotation(Vec3(-pi / 2, 0, 0));

// Our link of every joint of MuJoCo's: the last joint of a body leads to the body, those before it to
// links.
std::vector<int> linksOfJoints(const mjModel& theirs, const Model& ours)
{
    std::vector<int> links(theirs.njnt, -1);
    for (int b = 1; b < theirs.nbody; ++b) {
        const char* name = mj_id2name(&theirs, mjOBJ_BODY, b);
        int link = name ? ours.findBody(name) : -1;
        EXPECT_GE(link, 0) << "body " << b;
        for (int k = theirs.body_jntnum[b] - 1; k >= 0 && link >= 0; --k) {
            links[theirs.body_jntadr[b] + k] = link;
            link = ours.joints[link].parent;
        }
    }
    return links;
}

struct Worst {
    double place = 0, mass = 0, bias = 0, passive = 0, acceleration = 0;
};

class Comparison {
public:
    Comparison(const mjModel& theirs, const Model& ours)
        : theirs_(theirs), ours_(ours), data_(mj_makeData(&theirs)), links_(linksOfJoints(theirs, ours))
    {
    }

    void run(Random& random)
    {
        shake(random);
        mj_forward(&theirs_, data_.get());
        setOurs();
        comparePlaces();
        compareDynamics();
    }

    Worst worst;

private:
    void shake(Random& random)
    {
        mjData& d = *data_;
        mj_resetData(&theirs_, &d);
        for (int j = 0; j < theirs_.njnt; ++j) {
            double* q = d.qpos + theirs_.jnt_qposadr[j];
            const int type = theirs_.jnt_type[j];
            if (type == mjJNT_FREE)
                for (int i = 0; i < 3; ++i) q[i] += random.normal();
            if (type == mjJNT_FREE || type == mjJNT_BALL) {
                double* quat = type == mjJNT_FREE ? q + 3 : q;
                for (int i = 0; i < 4; ++i) quat[i] = random.normal();
                mju_normalize4(quat);
            } else {
                q[0] += random.uniform(-1.5, 1.5);
            }
        }
        for (int i = 0; i < theirs_.nv; ++i) d.qvel[i] = 3 * random.normal();
    }

    // Our state at theirs; A and Ȧ v.
    void setOurs()
    {
        const mjData& d = *data_;
        state_ = restState(ours_);
        A_.setZero(ours_.freedomCount, theirs_.nv);
        rate_.setZero(ours_.freedomCount);
        for (int j = 0; j < theirs_.njnt; ++j) {
            const int link = links_[j];
            const Joint& joint = ours_.joints[link];
            const double* q = d.qpos + theirs_.jnt_qposadr[j];
            const int v = theirs_.jnt_dofadr[j];
            double* own = state_.q.data() + joint.q;
            if (theirs_.jnt_type[j] == mjJNT_FREE) {
                const Body& body = ours_.bodies[link];
                const Quat R = yUp * Quat(q[3], q[4], q[5], q[6]);
                const Vec3 center = yUp * Vec3(q[0], q[1], q[2]) + R * body.center;
                const Quat since = body.rest.orientation.conjugate() * R;
                view<3>(own) = center;
                view<4>(own + 3) = since.coeffs();
                const Vec3 w(d.qvel[v + 3], d.qvel[v + 4], d.qvel[v + 5]);
                A_.block<3, 3>(joint.u, v) = yUp.toRotationMatrix();
                A_.block<3, 3>(joint.u, v + 3) = -(R.toRotationMatrix() * tilde(body.center));
                A_.block<3, 3>(joint.u + 3, v + 3).setIdentity();
                rate_.segment<3>(joint.u) = R * w.cross(w.cross(body.center));
            } else if (theirs_.jnt_type[j] == mjJNT_BALL) {
                view<4>(own) << q[1], q[2], q[3], q[0];
                A_.block<3, 3>(joint.u, v).setIdentity();
            } else {
                own[0] = q[0] - theirs_.qpos0[theirs_.jnt_qposadr[j]];
                A_(joint.u, v) = 1;
            }
        }
        state_.u = A_ * view(d.qvel, theirs_.nv);
        bodiesFromJoints(ours_, state_);
    }

    void comparePlaces()
    {
        for (int b = 1; b < theirs_.nbody; ++b) {
            const int link = ours_.findBody(mj_id2name(&theirs_, mjOBJ_BODY, b));
            const BodyState& s = state_.bodies[link];
            const double* p = data_->xpos + 3 * b;
            const Vec3 origin = s.position - s.orientation * ours_.bodies[link].center;
            worst.place = std::max(worst.place, (origin - yUp * Vec3(p[0], p[1], p[2])).norm());
        }
    }

    void compareDynamics()
    {
        const int n = theirs_.nv;
        MatX M(n, n);  // symmetric: by rows or by columns
        mj_fullM(&theirs_, M.data(), data_->qM);
        MatX own;
        massMatrix(ours_, state_, work_, own);
        const MatX mapped = A_.transpose() * own * A_;
        // Entry by entry, against what the two freedoms weigh: small fingers count as much as the trunk.
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < n; ++k)
                worst.mass =
                    std::max(worst.mass, std::abs(mapped(i, k) - M(i, k)) / std::sqrt(M(i, i) * M(k, k)));

        forces_.setZero(ours_);
        sceneForces(ours_, state_, forces_);
        VecX bias;
        biasForces(ours_, state_, forces_.body, work_, bias);
        const VecX mappedBias = A_.transpose() * (bias + own * rate_);
        compare(mappedBias, data_->qfrc_bias, worst.bias);
        compare(A_.transpose() * forces_.joint, data_->qfrc_passive, worst.passive);

        Accelerations accelerations;
        accelerations.resize(ours_);
        findMethod("featherstone")->accelerate(ours_, state_, forces_, work_, accelerations);
        const VecX mappedAcceleration = solveDense(A_, accelerations.joint - rate_);
        compare(mappedAcceleration, data_->qacc, worst.acceleration);
    }

    void compare(const VecX& ours, const double* theirs, double& largest) const
    {
        const auto expected = view(theirs, theirs_.nv);
        const double scale = expected.cwiseAbs().maxCoeff();
        if (scale > 0) largest = std::max(largest, (ours - expected).cwiseAbs().maxCoeff() / scale);
        if (scale == 0) EXPECT_TRUE(ours.isZero(0));
    }

    const mjModel& theirs_;
    const Model& ours_;
    std::unique_ptr<mjData, FreeMuJoCo> data_;
    std::vector<int> links_;
    State state_;
    Work work_;
    Forces forces_;
    MatX A_;
    VecX rate_;
};

void expectAgreement(const std::string& text, const std::string& name, Tendons tendons = Tendons::off,
                     double bound = agreement)
{
    const auto theirs = loadMuJoCo(text, tendons);
    ASSERT_TRUE(theirs);
    const Model ours = loadOurs(text, *theirs);
    if (testing::Test::HasFailure()) return;
    ASSERT_EQ(theirs->nv, ours.freedomCount);
    Comparison comparison(*theirs, ours);
    Random random(7);
    for (int i = 0; i < states; ++i) comparison.run(random);
    const Worst& w = comparison.worst;
    std::printf(
        "%s: %d freedoms, places %.1e m, mass matrix %.1e, bias %.1e, passive %.1e, accelerations %.1e\n",
        name.c_str(), theirs->nv, w.place, w.mass, w.bias, w.passive, w.acceleration);
    EXPECT_LT(w.place, bound);
    EXPECT_LT(w.mass, bound);
    // Springs between sites push on bodies here; there they are forces along joints.
    if (tendons == Tendons::off) {
        EXPECT_LT(w.bias, bound);
        EXPECT_LT(w.passive, bound);
    }
    EXPECT_LT(w.acceleration, bound);
}

class Sample : public testing::TestWithParam<const char*> {};

TEST_P(Sample, agrees_with_mujoco_in_random_states)
{
    const std::string folder = sampleData("mjcf");
    if (folder.empty()) GTEST_SKIP() << sampleDataMissing;
    const std::string path = folder + "/" + GetParam();
    ASSERT_TRUE(std::filesystem::exists(path));
    const bool boxesWeigh = path.find("wonik_allegro") != std::string::npos;
    expectAgreement(withoutMeshes(path, boxesWeigh), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Models, Sample,
                         testing::Values("mujoco/humanoid.xml", "dm_control_humanoid_CMU.xml",
                                         "dm_control_quadruped.xml", "menagerie_shadow_hand_right_hand.xml",
                                         "menagerie_wonik_allegro_right_hand.xml",
                                         "menagerie_unitree_h1_h1.xml"),
                         [](const auto& info) {
                             std::string name = std::filesystem::path(info.param).stem();
                             for (char& c : name)
                                 if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                             return name;
                         });

// What the samples do not have: every joint type on one body, orientations of all kinds, ref and springref,
// bounds on inertias, a full inertia, all shapes.
TEST(Mjcf, agrees_with_mujoco_on_everything_that_is_read)
{
    const Result<std::string> text =
        json::readFile(std::string(SINEW_TEST_DIR "/data") + "/mjcf/everything.xml");
    ASSERT_TRUE(text) << text.error().text();
    expectAgreement(text.value(), "everything.xml");
}

// Meshes that are hulls, dented, mirrored and moved; springs by time constants and between sites.
// Constraints are off on both sides, since MuJoCo's are soft.
TEST(Mjcf, agrees_with_mujoco_on_meshes_and_tendons)
{
    const Result<std::string> text =
        json::readFile(std::string(SINEW_TEST_DIR "/data") + "/mjcf/assembly.xml");
    ASSERT_TRUE(text) << text.error().text();
    expectAgreement(text.value(), "assembly.xml", Tendons::on, agreementOfMeshes);
}

}  // namespace
}  // namespace sinew
