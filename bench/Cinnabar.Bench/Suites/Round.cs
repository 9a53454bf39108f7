using System;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>What a suite needs to measure one server once: how long, where, and whom to tell what it is
/// doing.</summary>
internal sealed record Round(double Seconds, int ServerCore, int LoadCore, long? KeyCount,
    Action<string> Tell)
{
    private const int FillConnectionCount = 16;
    private const int FillDepth = 30;
    private const long FillStep = 1_000_000;

    /// <summary>Starts a server on its core and notes its version.</summary>
    public ServerProcess Start(ServerSpec spec, SuiteReport report)
    {
        Tell($"{spec.Name}: start");
        ServerProcess server = ServerProcess.Start(spec, ServerCore);
        report.Versions[spec.Name] = server.Info("cinnabar_version") ?? server.Info("redis_version") ?? "";
        return server;
    }

    /// <summary>Sets keys from <paramref name="first"/> up to, and without, <paramref name="end"/>, and
    /// checks that all are there.</summary>
    public void Fill(ServerProcess server, Workload workload, long first, long end)
    {
        using var loop = new LoadLoop(LoadLoop.NewTransport(), server.Port, FillConnectionCount);
        for (long key = first; key < end; key += FillStep)
        {
            Tell($"{server.Spec.Name}: fill, {key:N0} of {end:N0} keys");
            using var plan = RequestPlan.Sets(workload, FillDepth, key, Math.Min(FillStep, end - key));
            loop.RunOnce(plan);
        }
        string? count = server.Ask("DBSIZE");
        if (count != end.ToString()) throw new LoadException($"{count} keys where {end} were set");
    }
}
