#include "child.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace sinew::bench {
namespace {

constexpr rlim_t memoryLimit = rlim_t{12} << 30;

}  // namespace

double processorSeconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

json::Value inChild(double seconds, const std::string& complaints, const std::function<json::Value()>& work)
{
    json::Value failure = json::Value::object();
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const rlimit memory{memoryLimit, memoryLimit};
        setrlimit(RLIMIT_AS, &memory);
        const rlimit noCore{0, 0};
        setrlimit(RLIMIT_CORE, &noCore);
        if (!std::freopen(complaints.c_str(), "a", stderr)) _exit(1);
        alarm(static_cast<unsigned>(std::ceil(seconds)));
        std::string text;
        try {
            text = json::write(work());
        } catch (const std::exception& error) {
            json::Value thrown = json::Value::object();
            thrown.add("failure", std::string(error.what()).substr(0, 120));
            text = json::write(thrown);
        }
        std::size_t done = 0;
        while (done < text.size()) {
            const ssize_t n = write(ends[1], text.data() + done, text.size() - done);
            if (n <= 0) break;
            done += static_cast<std::size_t>(n);
        }
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, n);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        failure.add("failure", WTERMSIG(status) == SIGALRM ? "took too long" : "crashed");
        return failure;
    }
    Result<json::Value> parsed = json::parse(text, "child");
    if (parsed) return parsed.value();
    failure.add("failure", "no result");
    return failure;
}

double numberOf(const json::Value& object, const char* key)
{
    const json::Value* value = object.find(key);
    return value && value->isNumber() ? value->number() : std::nan("");
}
std::string textOf(const json::Value& object, const char* key)
{
    const json::Value* value = object.find(key);
    return value && value->isString() ? value->string() : std::string();
}

}  // namespace sinew::bench
