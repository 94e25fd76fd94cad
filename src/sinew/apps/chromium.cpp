#include "sinew/apps/chromium.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "sinew/apps/browser.h"
#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace {

// A picture of the largest size takes less; more is a page gone wild.
constexpr std::size_t largestMessage = std::size_t{1} << 29;

// The name that messages begin with.
constexpr const char* browser = "chromium";

// How WebGL is drawn: in software the same pictures come from every machine, with or without a graphics
// card.
std::vector<std::string> drawing(bool gpu)
{
    if (gpu)
        return {"--ignore-gpu-blocklist", "--enable-gpu", "--use-angle=default",
                "--enable-unsafe-swiftshader"};
    return {"--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"};
}

std::vector<std::string> argumentsFor(const std::string& profile, bool gpu)
{
    std::vector<std::string> arguments{
        "--headless=new",
        "--remote-debugging-pipe",
        "--user-data-dir=" + profile,
        "--force-color-profile=srgb",
        "--force-device-scale-factor=1",
        // The smaller, the less time goes into a page that nobody sees.
        "--window-size=320,240",
        // Containers have little shared memory.
        "--disable-dev-shm-usage",
        // A page is one file. Nothing leaves the machine, not even what the browser itself would ask for.
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
        "--no-first-run",
        "--no-default-browser-check",
        "--password-store=basic",
        "--mute-audio",
        // Nobody looks, yet the page must not doze.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-breakpad",
    };
    const std::vector<std::string> how = drawing(gpu);
    arguments.insert(arguments.end(), how.begin(), how.end());
    // Chromium refuses to be root inside its sandbox.
    if (::geteuid() == 0) arguments.push_back("--no-sandbox");
    arguments.push_back("about:blank");
    return arguments;
}

json::Value objectOf(std::initializer_list<std::pair<const char*, json::Value>> members)
{
    json::Value object = json::Value::object();
    for (const auto& [key, value] : members) object.add(key, value);
    return object;
}

// The text under a key, or empty.
std::string textAt(const json::Value& object, std::string_view key)
{
    const json::Value* value = object.isObject() ? object.find(key) : nullptr;
    return value && value->isString() ? value->string() : std::string();
}

}  // namespace

Result<std::string> findChromium()
{
    return findProgram("CHROMIUM", {"chromium", "chromium-browser", "google-chrome"}, "chromium");
}

Result<Chromium> Chromium::start(const Settings& settings, const TemporaryFolder& folder,
                                 std::chrono::duration<double> patience)
{
    ChildCommand command;
    command.program = settings.program;
    command.arguments = argumentsFor(folder.path() + "/profile" + settings.name, settings.gpu);
    command.reads = 3;
    command.writes = 4;
    command.log = folder.path() + "/chromium" + settings.name + ".log";
    command.temporary = folder.path();
    Result<ChildProcess> process = ChildProcess::start(command);
    if (!process) return process.error();
    Chromium chromium(std::move(process.value()), patience);

    Result<json::Value> target = chromium.call("Target.createTarget", objectOf({{"url", "about:blank"}}));
    if (!target) return target.error();
    Result<json::Value> attached =
        chromium.call("Target.attachToTarget",
                      objectOf({{"targetId", textAt(target.value(), "targetId")}, {"flatten", true}}));
    if (!attached) return attached.error();
    chromium.session_ = textAt(attached.value(), "sessionId");
    for (const char* domain : {"Page.enable", "Inspector.enable"}) {
        Result<json::Value> enabled = chromium.call(domain, json::Value::object());
        if (!enabled) return enabled.error();
    }
    Result<json::Value> enabled =
        chromium.call("Page.setLifecycleEventsEnabled", objectOf({{"enabled", true}}));
    if (!enabled) return enabled.error();
    return chromium;
}

Result<bool> Chromium::open(const std::string& path)
{
    const auto end = deadline();
    Result<json::Value> answer = call("Page.navigate", objectOf({{"url", fileUrl(path)}}));
    if (!answer) return answer.error();
    const std::string fault = textAt(answer.value(), "errorText");
    if (!fault.empty()) return fileError(path, "chromium cannot open it: " + printable(fault));
    const std::string load = textAt(answer.value(), "loaderId");
    while (loaded_ != load) {
        Result<json::Value> message = nextMessage(end);
        if (!message) return message.error();
    }
    return true;
}

Result<json::Value> Chromium::evaluate(const std::string& expression, double allowance)
{
    Result<json::Value> answer = call(
        "Runtime.evaluate",
        objectOf({{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}}), allowance);
    if (!answer) return answer.error();
    if (const json::Value* details = answer.value().find("exceptionDetails")) {
        // "Error: what is wrong\n    at …"
        const json::Value* exception = details->isObject() ? details->find("exception") : nullptr;
        std::string message = exception ? textAt(*exception, "description") : std::string();
        if (message.empty() && exception) message = textAt(*exception, "value");
        if (message.empty()) message = textAt(*details, "text");
        message.erase(std::min(message.find('\n'), message.size()));
        if (message.starts_with("Error: ")) message.erase(0, 7);
        return Diagnostic{printable(message)};
    }
    const json::Value* result = answer.value().find("result");
    const json::Value* value = result && result->isObject() ? result->find("value") : nullptr;
    return value ? *value : json::Value();
}

ChildProcess::Clock::time_point Chromium::deadline(double allowance) const
{
    return ChildProcess::Clock::now() +
           std::chrono::duration_cast<ChildProcess::Clock::duration>(allowance * patience_);
}

Diagnostic Chromium::trouble(Wait wait) const
{
    if (wait == Wait::ended) return fileError(browser, process_.obituary(":FATAL:"));
    return fileError(browser,
                     fmt::format("no answer within {:g} s; --timeout allows more", patience_.count()));
}

Result<json::Value> Chromium::call(const std::string& method, const json::Value& parameters,
                                   double allowance)
{
    json::Value message = objectOf({{"id", ++lastId_}, {"method", method}, {"params", parameters}});
    if (!session_.empty()) message.add("sessionId", session_);
    const auto end = deadline(allowance);
    const Wait sent = process_.send(json::write(message) + '\0', end);
    if (sent != Wait::done) return trouble(sent);
    while (true) {
        Result<json::Value> answer = nextMessage(end);
        if (!answer) return answer.error();
        const json::Value* id = answer.value().find("id");
        if (!id || !id->isNumber() || id->number() != lastId_) continue;
        if (const json::Value* error = answer.value().find("error"))
            return fileError(browser, method + ": " + printable(textAt(*error, "message")));
        const json::Value* result = answer.value().find("result");
        if (result && result->isObject()) return *result;
        return fileError(browser, method + ": an answer without a result");
    }
}

Result<json::Value> Chromium::nextMessage(ChildProcess::Clock::time_point deadline)
{
    std::size_t searched = 0, end = 0;
    while ((end = received_.find('\0', searched)) == std::string::npos) {
        searched = received_.size();
        if (searched > largestMessage) return fileError(browser, "an answer that is too large");
        const Wait got = process_.receive(received_, deadline);
        if (got != Wait::done) return trouble(got);
    }
    Result<json::Value> message = json::parse(std::string_view(received_).substr(0, end), browser);
    received_.erase(0, end + 1);
    if (!message) return message.error();
    if (!message.value().isObject()) return fileError(browser, "an answer that is no object");
    const std::string event = textAt(message.value(), "method");
    if (event == "Inspector.targetCrashed")
        return fileError(browser, "the page crashed; memory may be short");
    const json::Value* details = message.value().find("params");
    if (event == "Page.lifecycleEvent" && details && textAt(*details, "name") == "load")
        loaded_ = textAt(*details, "loaderId");
    return message;
}

}  // namespace sinew
