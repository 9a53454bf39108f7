using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Cinnabar.Lab.StreamReads;

internal static class Program
{
    // In this process: a generated project would inherit this repository's rules for code, and fail.
    private static void Main(string[] arguments)
    {
        IConfig config = DefaultConfig.Instance
            .AddJob(Job.Default.WithToolchain(InProcessEmitToolchain.Instance));
        BenchmarkSwitcher.FromTypes([typeof(StreamReadBenchmarks)]).Run(arguments, config);
    }
}
