using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Cinnabar.Micro;

/// <summary>
/// BenchmarkDotNet on the small structures. In this process, since a generated project would inherit this
/// repository's rules for code and fail; and shortly.
/// </summary>
internal static class SmallBenchmarks
{
    internal static void Run(string[] arguments)
    {
        Job job = Job.ShortRun.WithToolchain(InProcessEmitToolchain.Instance);
        IConfig config = DefaultConfig.Instance.AddJob(job);
        BenchmarkSwitcher.FromAssembly(typeof(SmallBenchmarks).Assembly).Run(arguments, config);
    }
}
