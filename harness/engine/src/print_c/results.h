/* The same for calls that say success with another value than SUCCESS. */

#define MUST_SUCCEED_WITH(success, call) must_succeed_with(__LINE__, #call, (long long)(call), success)
#define MUST_FAIL_WITH(success, call, ...) \
    must_fail_with(__LINE__, #call, (long long)(call), success, 0, CODES(__VA_ARGS__))
#define MUST_FAIL_USUALLY_WITH(success, call, ...) \
    must_fail_with(__LINE__, #call, (long long)(call), success, 1, CODES(__VA_ARGS__))

static inline void must_succeed_with(int line, const char *call, long long answer, long long success)
{
    char message[64];
    if (answer == success)
        return;
    snprintf(message, sizeof message, "returned %lld, expected success", answer);
    failed(line, call, message);
}

static inline void must_fail_with(int line, const char *call, long long answer, long long success, int usually,
                                  const long long *codes, size_t count)
{
    char message[64];
    if (answer == success)
        failed(line, call, "returned success, it must fail");
    if (count == 1 || in_set(answer, codes + 1, count - 1))
        return;
    snprintf(message, sizeof message, "returned %lld, which is no documented code", answer);
    if (!usually)
        failed(line, call, message);
    printf("info: line %d: %s: %s\n", line, call, message);
}
