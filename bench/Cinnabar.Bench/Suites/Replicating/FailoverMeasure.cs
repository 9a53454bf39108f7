using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Replicating;

/// <summary>How long there is no master when one ends that three Sentinels watch.</summary>
internal static class FailoverMeasure
{
    private const int DownAfterMs = 1000;
    private const int SecondsMax = 120;
    private static readonly TimeSpan s_pollTime = TimeSpan.FromMilliseconds(5);

    /// <summary>Ends a master and waits until another takes a write.</summary>
    /// <param name="spec">What master and replicas are.</param>
    /// <param name="round">The round.</param>
    /// <returns>Seconds without a master.</returns>
    /// <exception cref="LoadException">There is none within two minutes.</exception>
    public static double Seconds(ServerSpec spec, Round round)
    {
        round.Live.ShowStep("failover by Sentinel");
        MeasuredServer? master = round.Start(spec);
        MeasuredServer[] replicas = [round.Start(spec), round.Start(spec)];
        DirectoryInfo folder = Directory.CreateTempSubdirectory("cinnabar-bench-sentinel-");
        MeasuredServer[] sentinels = [];
        try
        {
            foreach (MeasuredServer replica in replicas)
            {
                using ServerLink link = replica.Link();
                link.Ask("REPLICAOF", "127.0.0.1", Text(master.Address.Port));
                Await(() => link.Info("master_link_status") == "up");
            }

            sentinels = [.. Enumerable.Range(0, 3).Select(number => StartSentinel(
                Path.Combine(folder.FullName, Text(number)), master.Address.Port, round))];
            foreach (MeasuredServer sentinel in sentinels)
            {
                using ServerLink link = sentinel.Link();
                Await(() => link.Info("master0") is { } state
                    && state.Contains("slaves=2", StringComparison.Ordinal)
                    && state.Contains("sentinels=3", StringComparison.Ordinal));
            }

            // The end of the process is a part of it: the master answers nobody meanwhile.
            long start = Stopwatch.GetTimestamp();
            master.Dispose();
            master = null;
            Await(() => replicas.Any(CanWrite));
            return Stopwatch.GetElapsedTime(start).TotalSeconds;
        }
        finally
        {
            foreach (MeasuredServer server in (IEnumerable<MeasuredServer>)[.. sentinels, .. replicas])
                server.Dispose();
            master?.Dispose();
            folder.Delete(recursive: true);
        }
    }

    // A replica refuses, and a Sentinel ends its clients' connections when it becomes the master.
    private static bool CanWrite(MeasuredServer replica)
    {
        try
        {
            using ServerLink link = replica.Link();
            return link.Ask("SET", "after", "failover") == "OK";
        }
        catch (LoadException)
        {
            return false;
        }
    }

    private static MeasuredServer StartSentinel(string path, int masterPort, Round round)
    {
        File.WriteAllText(path, string.Create(CultureInfo.InvariantCulture, $"""
            sentinel monitor watched 127.0.0.1 {masterPort} 2
            sentinel down-after-milliseconds watched {DownAfterMs}

            """));
        var spec = new ServerSpec
        {
            Name = "sentinel",
            Command = ["redis-server", path, "--port", ServerSpec.PortPlace, "--sentinel"],
        };
        return MeasuredServer.Start(spec, round.LoadCores);
    }

    private static void Await(Func<bool> isSo)
    {
        for (long start = Stopwatch.GetTimestamp(); !isSo(); Thread.Sleep(s_pollTime))
        {
            if (Stopwatch.GetElapsedTime(start).TotalSeconds > SecondsMax)
                throw new LoadException("the failover is not over after two minutes");
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
