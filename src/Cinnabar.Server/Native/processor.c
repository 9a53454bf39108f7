// The binary for x64 is compiled for x86-64-v3 (Native.props). On an older processor the run time would abort with
// a core dump; this runs before it and ends the process with one line. Nothing else may be compiled with -march.

#if defined(__x86_64__)
#include <cpuid.h>
#include <unistd.h>

static int has_level_3(void)
{
    unsigned int eax, ebx, ecx, edx;

    __builtin_cpu_init(); // Its answers include whether the system saves the wide registers.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi")
        || !__builtin_cpu_supports("bmi2"))
        return 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_MOVBE)
        && __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT);
}

__attribute__((constructor)) static void require_level_3(void)
{
    static const char text[] = "cinnabar-server: this binary needs a processor of level x86-64-v3 (AVX2, BMI2, "
                               "FMA); the managed build (./x run --managed) runs on this one.\n";

    if (has_level_3())
        return;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}
#endif
