// MuJoCo: joint coordinates, its semi-implicit Euler step, which takes the damping of joints implicitly.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "step_engines.h"

namespace sinew::bench {
namespace {

std::string number(double x)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.17g ", x);
    return text;
}
std::string numbers(const Vec3& v)
{
    return number(v.x()) + number(v.y()) + number(v.z());
}

// Bodies have their own axes, with the centre of mass at the origin.
class Writer {
public:
    explicit Writer(const Model& model) : model_(model), children_(model.bodies.size())
    {
        for (int i = 0; i < model_.size(); ++i)
            if (model_.joints[i].parent >= 0) children_[model_.joints[i].parent].push_back(i);
    }
    std::string text(double h) const
    {
        std::string xml = "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option timestep='" +
                          number(h) + "' gravity='" + numbers(model_.gravity) +
                          "'><flag contact='disable'/></option><worldbody>";
        for (int i = 0; i < model_.size(); ++i)
            if (model_.joints[i].parent < 0) add(i, xml);
        return xml + "</worldbody></mujoco>";
    }

private:
    void add(int i, std::string& xml) const
    {
        const Body& body = model_.bodies[i];
        const Joint& joint = model_.joints[i];
        const Pose pose = restInParent(i);
        const Quat& R = pose.orientation;
        const Mat3& I = body.inertia;
        xml +=
            "<body pos='" + numbers(pose.position) + "' quat='" + number(R.w()) + numbers(R.vec()) + "'>";
        xml += "<inertial pos='0 0 0' mass='" + number(body.mass) + "' fullinertia='" +
               numbers(I.diagonal()) + number(I(0, 1)) + number(I(0, 2)) + number(I(1, 2)) + "'/>";
        if (joint.isFree()) {
            xml += "<freejoint/>";
        } else {
            xml += joint.isBall() ? "<joint type='ball'"
                                  : "<joint type='hinge' axis='" + numbers(joint.axis) + "'";
            xml += " pos='" + numbers(joint.anchorChild) + "' stiffness='" + number(joint.stiffness) +
                   "' damping='" + number(joint.damping) + "'/>";
        }
        for (const int child : children_[i]) add(child, xml);
        xml += "</body>";
    }
    Pose restInParent(int i) const
    {
        const Joint& joint = model_.joints[i];
        if (joint.isFree()) return model_.bodies[i].rest;
        return {joint.anchorParent - joint.R_PC_rest * joint.anchorChild, Quat(joint.R_PC_rest)};
    }

    const Model& model_;
    std::vector<std::vector<int>> children_;
};

class MujocoChain : public ChainEngine {
public:
    MujocoChain(const ChainCase& chain, double h) : size_(chain.model.size())
    {
        const std::string text = Writer(chain.model).text(h);
        const auto files = std::make_unique<mjVFS>();
        mj_defaultVFS(files.get());
        mj_makeEmptyFileVFS(files.get(), "chain.xml", static_cast<int>(text.size()));
        const int index = mj_findFileVFS(files.get(), "chain.xml");
        std::memcpy(files->filedata[index], text.data(), text.size());
        char fault[1000] = "";
        model_ = mj_loadXML("chain.xml", files.get(), fault, sizeof fault);
        mj_deleteVFS(files.get());
        if (!model_) {
            std::fprintf(stderr, "MuJoCo: %s\n", fault);
            std::abort();
        }
        data_ = mj_makeData(model_);
        order(chain.model);
    }
    ~MujocoChain() override
    {
        mj_deleteData(data_);
        mj_deleteModel(model_);
    }

    bool advance(int steps) override
    {
        for (int i = 0; i < steps; ++i) mj_step(model_, data_);
        return true;
    }
    void read(LargeVector<BodyState>& bodies) override
    {
        mj_fwdPosition(model_, data_);
        mj_fwdVelocity(model_, data_);
        for (int i = 0; i < size_; ++i) {
            const int id = ids_[i];
            const mjtNum *x = data_->xpos + 3 * id, *q = data_->xquat + 4 * id;
            mjtNum velocity[6];
            mj_objectVelocity(model_, data_, mjOBJ_BODY, id, velocity, 0);
            BodyState& b = bodies[i];
            b.position = {x[0], x[1], x[2]};
            b.orientation = Quat(q[0], q[1], q[2], q[3]);
            b.velocity = {velocity[3], velocity[4], velocity[5]};
            b.angularVelocity = b.orientation.conjugate() * Vec3(velocity[0], velocity[1], velocity[2]);
        }
    }

private:
    // MuJoCo numbers bodies as they stand in the text: depth first.
    void order(const Model& model)
    {
        ids_.resize(size_);
        int next = 1;
        const auto visit = [&](const auto& self, int i) -> void {
            ids_[i] = next++;
            for (int child = 0; child < size_; ++child)
                if (model.joints[child].parent == i) self(self, child);
        };
        for (int i = 0; i < size_; ++i)
            if (model.joints[i].parent < 0) visit(visit, i);
    }

    int size_;
    std::vector<int> ids_;
    mjModel* model_ = nullptr;
    mjData* data_ = nullptr;
};

}  // namespace

std::unique_ptr<ChainEngine> makeMujocoChain(const ChainCase& chain, double h)
{
    return std::make_unique<MujocoChain>(chain, h);
}

}  // namespace sinew::bench
