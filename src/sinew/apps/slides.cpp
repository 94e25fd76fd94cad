// sinew slides: the slides' pictures of integration, computed by the integrators of ode/, as one page.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/slides_style.h"
#include "sinew/apps/svg_plot.h"
#include "sinew/apps/text.h"
#include "sinew/io/file_error.h"
#include "sinew/io/whole_file.h"
#include "sinew/ode/dormand_prince.h"
#include "sinew/ode/schemes.h"

namespace sinew {
namespace {

using Points = std::vector<Vec2>;

// y' = f(x, y), a number.
class Slope final : public ode::FirstOrder {
public:
    using Function = double (*)(double x, double y);
    explicit Slope(Function function) : function_(function) {}
    int size() const override { return 1; }
    void rate(double x, ode::In y, ode::Out rate) override { rate[0] = function_(x, y[0]); }

private:
    Function function_;
};

Points steps(const char* scheme, Slope::Function function, double y, double h, double end)
{
    Slope system(function);
    ode::Work work;
    Points points = {{0, y}};
    const int count = static_cast<int>(std::floor(end / h + 1e-9));
    for (int i = 0; i < count; ++i) {
        if (!ode::step(*ode::findScheme(scheme), system, i * h, h, ode::Out(&y, 1), work)) break;
        points.emplace_back((i + 1) * h, y);
    }
    return points;
}

// As exact as the page can show.
Points curve(Slope::Function function, double y, double end)
{
    return steps("rk4", function, y, end / 400, end);
}

double largestError(const Points& points, double (*truth)(double))
{
    double most = 0;
    for (const Vec2& point : points) most = std::max(most, std::abs(point.y() - truth(point.x())));
    return most;
}

std::string figure(const std::string& svg, const std::string& caption)
{
    return "<figure>" + svg + "<figcaption>" + caption + "</figcaption></figure>\n";
}

std::string fieldSection()
{
    const Slope::Function f = [](double x, double y) { return std::cos(x) - 0.4 * y; };
    SvgPlot plot(860, 400, {0, 12, 1}, {-2, 3, 1});
    for (double x = 0.25; x < 12; x += 0.5)
        for (double y = -1.75; y < 3; y += 0.5) plot.arrow({x, y}, {1, f(x, y)}, 15, "field");
    plot.line(curve(f, 2, 12), "exact");
    const Points euler = steps("explicit_euler", f, 2, 0.75, 12);
    plot.line(euler, "a");
    plot.dots(euler, 3.2, "a");
    plot.label("x", "y");
    constexpr const char* text = R"html(<h2>The derivative field</h2>
<p>Each arrow shows the slope y′ = cos x − 0.4 y at its place. A solution follows the arrows. Euler’s step follows the
one where it stands, in a straight line, and lands beside the solution.</p>
)html";
    constexpr const char* caption = R"html(
<i class="exact"></i>the solution through (0, 2) <i class="a"></i>Euler’s steps of 0.75)html";
    return text + figure(plot.text("Derivative field with a solution and Euler steps"), caption);
}

std::string sineSection()
{
    const Slope::Function f = [](double x, double) { return std::cos(x); };
    const auto sine = [](double x) { return std::sin(x); };
    constexpr const char* caption = R"html(Step {:g}: largest error
<i class="a"></i>Euler {:.3g} <i class="b"></i>midpoint {:.3g} <i class="exact"></i>sin x)html";
    std::string figures;
    for (const double h : {0.2, 2., 5.}) {
        const double end = h < 1 ? 12 : 20, radius = h < 1 ? 2 : 3.6;
        const SvgPlot::Range seen = h > 4 ? SvgPlot::Range{-6, 8, 2} : SvgPlot::Range{-2, 3, 1};
        SvgPlot plot(860, h < 1 ? 230 : 280, {0, end, 2}, seen);
        plot.line(curve(f, 0, end), "exact");
        const Points euler = steps("explicit_euler", f, 0, h, end), mid = steps("midpoint", f, 0, h, end);
        plot.line(euler, "a");
        plot.line(mid, "b");
        plot.dots(euler, radius, "a");
        plot.dots(mid, radius, "b");
        plot.label("x", "y");
        figures += figure(plot.text(fmt::format("Euler and midpoint at a step of {:g}", h)),
                          fmt::format(caption, h, largestError(euler, sine), largestError(mid, sine)));
    }
    constexpr const char* text = R"html(<h2>Euler against midpoint: y′ = cos x</h2>
<p>The solution from (0, 0) is the sine. The larger the step, the worse is Euler’s; the midpoint’s error falls with the
square of the step, Euler’s with the step itself. At a step of 5 both have lost the curve.</p>
)html";
    return text + figures;
}

// Thrown at (100, 100) ft/s under 32 ft/s².
struct Projectile final : ode::SecondOrder {
    int size() const override { return 2; }
    bool dependsOnVelocity() const override { return false; }
    void accelerate(double, ode::In, ode::In, ode::Out a) override
    {
        a[0] = 0;
        a[1] = -32;
    }
};

struct Throw {
    Points points;
    double error = 0;        // ft, at the end
    double evaluations = 0;  // a step
};

Throw thrown(const ode::Scheme& scheme, double h, int count)
{
    Projectile system;
    ode::Work work;
    std::vector<double> x = {0, 0}, v = {100, 100};
    Throw result{{{0, 0}}};
    for (int i = 0; i < count; ++i) {
        if (!ode::step(scheme, system, i * h, h, x, v, work)) break;
        result.points.emplace_back(x[0], x[1]);
    }
    const double t = count * h;
    result.error = std::hypot(x[0] - 100 * t, x[1] - (100 * t - 16 * t * t));
    result.evaluations = static_cast<double>(work.statistics.evaluations) / count;
    return result;
}

// Of the points of a scheme; three have the same ones, so that rings go around dots.
struct Look {
    const char* name;
    double radius;
};

Look lookOf(std::string_view scheme)
{
    if (scheme == "explicit_euler") return {"a", 3.2};
    if (scheme == "semi_implicit_euler") return {"b", 3.2};
    if (scheme == "semi_implicit_slides") return {"c", 5.5};
    if (scheme == "implicit_euler") return {"d", 8};
    return {"rest", 3.2};
}

std::string throwSection()
{
    constexpr double h = 0.5;
    constexpr int count = 12;
    SvgPlot plot(860, 420, {0, 700, 100}, {-50, 250, 50});
    Points parabola;
    for (double t = 0; t <= 6.7; t += 0.05) parabola.emplace_back(100 * t, 100 * t - 16 * t * t);
    plot.line(parabola, "exact");
    constexpr const char* row =
        "<tr><td><i class=\"{}\"></i>{}</td><td>{}</td><td>{:.3g}</td><td>{}</td></tr>\n";
    std::string rows;
    for (const ode::Scheme& scheme : ode::schemes()) {
        const Throw flight = thrown(scheme, h, count);
        const Look look = lookOf(scheme.name);
        plot.dots(flight.points, look.radius, look.name);
        const std::string error = flight.error < 1e-9 ? "none" : fmt::format("{:.1f} ft", flight.error);
        rows += fmt::format(row, look.name, scheme.name, scheme.order, flight.evaluations, error);
    }
    plot.label("ft", "ft");
    constexpr const char* text = R"html(<h2>The projectile</h2>
<p>Thrown at (100, 100) ft/s under 32 ft/s², in steps of 0.5 s. Gravity is constant, so every scheme of second order is
on the parabola, and so is the slides’ “Heun”, which has the term ½ a Δt². Euler’s step lands too far, the three that
take the velocity at the end too near.</p>
)html";
    constexpr const char* caption = R"html(<i class="exact"></i>the parabola
<i class="a"></i>explicit_euler <i class="b"></i>semi_implicit_euler <i class="c"></i>semi_implicit_slides
<i class="d"></i>implicit_euler <i class="rest"></i>all others)html";
    constexpr const char* head = R"html(<table><thead><tr><th>integrator</th><th>order</th>
<th>evaluations a step</th><th>error after 6 s</th></tr></thead><tbody>
)html";
    return text + figure(plot.text("Points of a thrown body by each integrator"), caption) + head + rows +
           "</tbody></table>\n";
}

struct Swing final : ode::SecondOrder {
    int size() const override { return 1; }
    bool dependsOnVelocity() const override { return false; }
    void accelerate(double, ode::In x, ode::In, ode::Out a) override { a[0] = -x[0]; }
};

struct Energies {
    Points points;  // periods, energy over that of the start
    double error = 0, evaluations = 0;
};

Energies swung(const ode::Scheme& scheme, int stepsAPeriod, int periods)
{
    Swing system;
    ode::Work work;
    std::vector<double> x = {1}, v = {0};
    const double h = 2 * pi / stepsAPeriod;
    Energies result{{{0, 1}}};
    for (int i = 0; i < stepsAPeriod * periods; ++i) {
        if (!ode::step(scheme, system, i * h, h, x, v, work)) break;
        result.points.emplace_back((i + 1.) / stepsAPeriod, x[0] * x[0] + v[0] * v[0]);
    }
    result.error = std::hypot(x[0] - 1, v[0]);
    result.evaluations = static_cast<double>(work.statistics.evaluations) / (stepsAPeriod * periods);
    return result;
}

// Of an energy that was 1.
std::string change(double energy)
{
    if (energy > 3) return fmt::format("× {:.3g}", energy);
    const double percent = 100 * (energy - 1);
    if (std::abs(percent) < 1e-10) return "0";
    return fmt::format("{}{:.3g} %", percent < 0 ? "−" : "+", std::abs(percent));
}

std::string energySection()
{
    constexpr int stepsAPeriod = 30, periods = 10;
    constexpr const char* row =
        "<tr><td>{}</td><td>{}</td><td>{:.3g}</td><td>{}</td><td>{:.3g}</td><td>{}</td></tr>\n";
    std::string panels, rows;
    for (const ode::Scheme& scheme : ode::schemes()) {
        const Energies energies = swung(scheme, stepsAPeriod, periods);
        double low = 1, high = 1;
        for (const Vec2& point : energies.points) {
            low = std::min(low, point.y());
            high = std::max(high, point.y());
        }
        SvgPlot plot(282, 170, {0, periods, 5}, {0, 2, 1});
        plot.line(energies.points, scheme.isSymplectic ? "b" : high > 1.2 ? "a" : low < 0.8 ? "d" : "c");
        plot.words(0, -8, scheme.name, "");
        panels += plot.text(fmt::format("Energy of an oscillator by {}", scheme.name));
        const std::string range =
            scheme.isSymplectic ? change(low) + " to " + change(high) : change(energies.points.back().y());
        rows += fmt::format(row, scheme.name, scheme.order, energies.evaluations, range, energies.error,
                            scheme.stability);
    }
    constexpr const char* text = R"html(<h2>Energy of an oscillator</h2>
<p>Ten periods of x″ = −w² x, 30 steps h a period; energy over that at the start. Dormand-Prince is at its tolerance of
1e-6. Schemes that are symplectic swing about the energy and never leave it.</p>
<div class="panels">)html";
    constexpr const char* key = R"html(</div>
<p class="key"><i class="b"></i>symplectic <i class="a"></i>gains energy <i class="d"></i>loses it
<i class="c"></i>within 20 % here</p>
<table><thead><tr><th>integrator</th><th>order</th><th>evaluations a step</th><th>energy</th>
<th>error</th><th>stable</th></tr></thead><tbody>
)html";
    return text + panels + key + rows + "</tbody></table>\n";
}

std::string slidesPage()
{
    constexpr const char* page = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Integration, step by step</title>
<style>{}</style></head>
<body><main>
<h1>Integration, step by step</h1>
<p>The pictures of R. Parent’s slides on numerical integration, computed by Sinew’s integrators. Names are those of
<code>sinew solvers</code>.</p>
{}{}{}{}</main></body></html>
)html";
    return fmt::format(page, slidesStyle, fieldSection(), sineSection(), throwSection(), energySection());
}

}  // namespace

int writeSlides(const std::string& output)
{
    std::error_code code;
    std::filesystem::create_directories(output, code);
    if (code) return fail(fileError(output, "this folder cannot be made: " + code.message()));
    const std::string path = (std::filesystem::path(output) / "slides.html").string();
    const std::string page = slidesPage();
    if (const std::string fault = writeWhole(path, page); !fault.empty()) return fail(fault);
    fmt::print("page: {} ({:.0f} kB), opens in any browser\n", path,
               static_cast<double>(page.size()) / 1000);
    return exitDone;
}

}  // namespace sinew
