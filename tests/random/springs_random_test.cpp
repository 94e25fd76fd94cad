// The random scenes again, with springs between any of their bodies and air that holds back and blows. They
// are drawn from a seed of their own, so that the scenes without them stay what they are.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "random/generator.h"
#include "random/run_scene.h"
#include "sinew/base/random.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/fields.h"
#include "sinew/model/model.h"
#include "sinew/model/springs.h"
#include "support/sanitized.h"

namespace sinew::test {
namespace {

class SpringAdder {
public:
    SpringAdder(RandomScene& scene, std::uint64_t seed)
        : d_(scene.description), L_(scene.length), g_(scene.gravity), random_(1000003 * seed)
    {
    }
    void run()
    {
        for (int i = 0, count = 1 + random_.below(3); i < count; ++i) addSpring();
        if (random_.below(2)) addAir();
    }

private:
    double logBetween(double low, double high)
    {
        return std::exp(random_.uniform(std::log(low), std::log(high)));
    }
    Vec3 direction()
    {
        const double x = random_.normal(), y = random_.normal(), z = random_.normal();
        return Vec3(x, y, z).normalized();
    }
    void addSpring()
    {
        const int count = static_cast<int>(d_.bodies.size());
        const BodyDescription& a = d_.bodies[static_cast<std::size_t>(random_.below(count))];
        const BodyDescription& b = d_.bodies[static_cast<std::size_t>(random_.below(count))];
        const bool isTied = &a != &b && random_.below(5) > 0;
        SpringDescription s;
        s.first.body = a.name;
        s.second.body = isTied ? b.name : "world";
        const Vec3 place = (isTied ? b : a).pose.position + 0.5 * L_ * direction();
        const int kind = random_.below(5);
        if (kind == 0)
            s.second.form = SpringSphere{place, 0.3 * L_};
        else if (kind == 1)
            s.second.form = SpringPlane{place, direction()};
        else
            s.second.form = SpringPoint{place};
        const double mass = isTied ? std::min(*a.mass, *b.mass) : *a.mass;
        s.stiffness = mass * g_ / L_ * logBetween(0.1, 1e5);
        s.damping = random_.uniform(0, 0.5) * std::sqrt(s.stiffness * mass);
        if (random_.below(3) == 0) s.acts = SpringActs::pull;
        if (random_.below(3) == 0) s.turnStiffness = mass * g_ * L_ * logBetween(0.01, 1);
        d_.springs.push_back(s);
    }
    void addAir()
    {
        const double T = std::sqrt(L_ / g_);
        double mass = 0;
        for (const BodyDescription& body : d_.bodies)
            mass += *body.mass / static_cast<double>(d_.bodies.size());
        d_.medium.density = mass / (L_ * L_ * L_) * logBetween(1e-4, 0.1);
        d_.medium.viscosity = mass / (L_ * T) * logBetween(1e-4, 0.3);
        FieldDescription gusts;
        gusts.type = FieldDescription::Type::gusts;
        gusts.speed = L_ / T * random_.uniform(0.1, 1);
        gusts.size = L_ * random_.uniform(1, 5);
        gusts.duration = T * random_.uniform(0.5, 3);
        gusts.seed = static_cast<std::uint32_t>(random_.below(1000));
        d_.fields.push_back(gusts);
    }

    Description& d_;
    double L_, g_;
    Random random_;
};

// As many may fail as of the same scenes without springs, and a few more:
// RandomScenes.finish_and_obey_the_laws.
TEST(RandomSprings, finish_and_obey_the_laws)
{
    constexpr int sample = 60, allowed = 4;
    int failed = 0;
    double worst = 0, iterations = 0;
    std::string lines;
    for (std::uint64_t seed = 1; seed <= sample; ++seed) {
        RandomScene scene = randomScene(*findSceneClass("mild"), seed);
        SpringAdder(scene, seed).run();
        const Result<Description> back = parseScene(writeScene(scene.description), "scene");
        ASSERT_TRUE(back) << back.error().text();
        ASSERT_EQ(writeScene(back.value()), writeScene(scene.description));
        RunLimits limits;
        limits.checkOrder = seed % 4 == 0;
        limits.seconds = test::isSanitized ? 30 : 5;
        const Outcome outcome = runScene(scene.description, limits);
        worst = std::max(worst, outcome.iterations);
        iterations += outcome.iterations / sample;
        if (outcome.faults == 0) continue;
        ++failed;
        lines += "seed " + std::to_string(seed) + ": " + faultText(outcome.faults) + "; " +
                 featureText(scene) + "; " + outcome.message + "\n";
    }
    EXPECT_LE(failed, allowed) << lines;
    std::printf("%d of %d fail; %.2f iterations a step, at most %.2f\n%s", failed, sample, iterations,
                worst, lines.c_str());
}

}  // namespace
}  // namespace sinew::test
