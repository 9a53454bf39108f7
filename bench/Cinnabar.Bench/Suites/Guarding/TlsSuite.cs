using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Guarding;

/// <summary>TLS 1.3 by redis-benchmark, whose own cost is below a server's 30 deep; handshakes by OpenSSL's
/// s_time, several at a time so that the server's core is busy: full ones of TLS 1.3, resumed ones of TLS
/// 1.2, which is what s_time can resume.</summary>
internal sealed partial class TlsSuite : ISuite
{
    private const int Depth = 30;
    private const int ClientCount = 32;
    private const int DataSize = 64;
    private const int KeyCount = 100_000;
    private const int SetShare = 11;
    private const int HandshakeClientCount = 4;
    private const double DeepRate = 400_000;
    private const double FlatRate = 30_000;

    public string Name => "tls";

    public string Title => "TLS: SET:GET 1:10 30 deep, GET 1 deep, handshakes";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 2;

    public void Measure(ServerSpec spec, Round round)
    {
        using var server = new TlsServer(spec, round);
        Benchmark(server, round, "set", Depth, KeyCount);
        var mix = Measured(server, (long)(DeepRate * round.Seconds), count =>
            Benchmark(server, round, "set", Depth, count / SetShare)
            + Benchmark(server, round, "get", Depth, count - (count / SetShare)));
        Add(round, spec, "TLS, 30 deep, SET:GET 1:10", "ops/s", mix);
        var flat = Measured(server, (long)(FlatRate * round.Seconds), count =>
            Benchmark(server, round, "get", 1, count));
        Add(round, spec, "TLS, GET, 1 deep", "ops/s", flat);
        Handshakes(server, round, "TLS, full handshakes, RSA-2048", "-new", "-tls1_3");
        Handshakes(server, round, "TLS, resumed handshakes", "-reuse", "-tls1_2");
    }

    private static void Add(Round round, ServerSpec spec, string name, string unit,
        (double Rate, double CpuUs) result)
    {
        round.Report.Add(name, unit, spec.Name, result.Rate, isHeadline: true);
        round.Report.Add($"{name}, server's CPU", "µs each", spec.Name, result.CpuUs, isHeadline: true);
    }

    private static (double Rate, double CpuUs) Measured(
        TlsServer server, long count, Func<long, double> secondsOf)
    {
        double before = Round.UsageOf(server.Server).CpuSeconds();
        double seconds = secondsOf(count);
        double cpu = Round.UsageOf(server.Server).CpuSeconds() - before;
        return (count / seconds, cpu * 1e6 / count);
    }

    /// <summary>Runs one test of redis-benchmark.</summary>
    /// <returns>How many seconds it took, without its start and its handshakes.</returns>
    private static double Benchmark(TlsServer server, Round round, string test, int depth, long count)
    {
        round.Live.ShowStep($"redis-benchmark --tls -P {depth} {test}");
        string output = TlsServer.RunProgram(round.LoadCores, "redis-benchmark", "--tls", "--cacert",
            server.CertificateFile, "-p", $"{server.Port}", "-t", test, "-P", $"{depth}", "-c",
            $"{ClientCount}", "-n", $"{count}", "-d", $"{DataSize}", "-r", $"{KeyCount}", "--csv");
        string[] cells = output.Split('\n').First(line => line.StartsWith(
            $"\"{test}\"", StringComparison.OrdinalIgnoreCase)).Split("\",\"");
        return count / double.Parse(cells[1], CultureInfo.InvariantCulture);
    }

    private static void Handshakes(
        TlsServer server, Round round, string name, string kind, string version)
    {
        round.Live.ShowStep(name);
        int seconds = Math.Max(1, (int)round.Seconds);
        double before = Round.UsageOf(server.Server).CpuSeconds();
        long start = Stopwatch.GetTimestamp();
        var clients = new Process[HandshakeClientCount];
        for (int index = 0; index < clients.Length; index++)
        {
            clients[index] = TlsServer.StartProgram(round.LoadCores, "openssl", "s_time", "-connect",
                $"127.0.0.1:{server.Port}", kind, version, "-time", $"{seconds}");
        }

        long count = 0;
        foreach (Process client in clients)
        {
            using (client)
                count += long.Parse(Connections().Matches(TlsServer.Finish(client, "openssl")).Last()
                    .Groups[1].ValueSpan, CultureInfo.InvariantCulture);
        }

        double elapsed = Stopwatch.GetElapsedTime(start).TotalSeconds;
        double cpu = Round.UsageOf(server.Server).CpuSeconds() - before;
        Add(round, server.Server.Spec, name, "/s", (count / elapsed, cpu * 1e6 / count));
    }

    [GeneratedRegex("([0-9]+) connections in [0-9]+ real seconds")]
    private static partial Regex Connections();
}
