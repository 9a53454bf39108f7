using System;
using Cinnabar.Lab.Runner.Results;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>Runs made up for tests.</summary>
internal static class Runs
{
    /// <summary>A run with one point of each given number of clients.</summary>
    public static Run Of(int round, string station,
        params (int Clients, double OpsPerSecond)[] points) => new()
    {
        Round = round,
        Station = station,
        Workload = "sweep",
        Points = Array.ConvertAll(points, point => PointOf(point.Clients, point.OpsPerSecond)),
    };

    private static Point PointOf(int clients, double opsPerSecond) => new()
    {
        Command = "GET",
        Clients = clients,
        Operations = 1000,
        Seconds = 1000 / opsPerSecond,
        OpsPerSecond = opsPerSecond,
        ServerCpuUsPerOp = 2,
        ServerBusy = 0.5,
        LoadBusy = 0.5,
        LatencyUs = [[50, 10], [99, 20], [100, 30]],
    };
}
