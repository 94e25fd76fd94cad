// Sinew itself, through the same interface as the others.
#include <cstdio>
#include <cstdlib>

#include "contact_case.h"
#include "sinew/simulation/simulation.h"

namespace sinew::bench {
namespace {

class SinewContact : public ContactEngine {
public:
    using Accuracy = ContactDescription::Accuracy;
    SinewContact(const ContactCase& scene, Accuracy accuracy) : simulation_(created(scene, accuracy)) {}

    bool step() override { return simulation_.step().ok; }
    void read(LargeVector<BodyState>& bodies) override { bodies = simulation_.state.bodies; }
    int contacts() const override { return static_cast<int>(simulation_.state.contacts.size()); }

private:
    static Simulation created(const ContactCase& scene, Accuracy accuracy)
    {
        Description description = scene.description;
        description.contact->accuracy = accuracy;
        Settings settings;
        settings.integrator = "implicit";
        settings.step = scene.step;
        Result<Simulation> made = Simulation::create(description, settings);
        if (!made) {
            std::fprintf(stderr, "%s\n", made.error().text().c_str());
            std::abort();
        }
        return std::move(made.value());
    }

    Simulation simulation_;
};

}  // namespace

std::vector<ContactVariant> sinewContactVariants()
{
    ContactVariant made;
    made.name = "Sinew implicit";
    made.about = "resting contact, the solver chosen by itself; springs are the scene's";
    made.knows = [](const ContactCase&) { return true; };
    made.make = [](const ContactCase& scene) {
        return std::make_unique<SinewContact>(scene, ContactDescription::Accuracy::exact);
    };
    ContactVariant fast;
    fast.name = "Sinew fast";
    fast.about = "the same with a fixed budget of work";
    fast.knows = [](const ContactCase& scene) { return !scene.isFigure; };
    fast.make = [](const ContactCase& scene) {
        return std::make_unique<SinewContact>(scene, ContactDescription::Accuracy::fast);
    };
    return {fast, made};
}

}  // namespace sinew::bench
