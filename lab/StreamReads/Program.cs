using System.Linq;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Cinnabar.Lab.StreamReads;

internal static class Program
{
    private const string Short = "--short";

    // In this process: a generated project would inherit this repository's rules for code, and fail.
    private static void Main(string[] arguments)
    {
        Job job = arguments.Contains(Short) ? Job.ShortRun : Job.Default;
        IConfig config = DefaultConfig.Instance.AddJob(job.WithToolchain(InProcessEmitToolchain.Instance));
        BenchmarkSwitcher.FromTypes([typeof(StreamReadBenchmarks)])
            .Run([.. arguments.Where(argument => argument != Short)], config);
    }
}
