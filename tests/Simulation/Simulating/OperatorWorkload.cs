using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>The server's operator: pauses it, lists clients, and kills them.</summary>
internal sealed class OperatorWorkload : IWorkload
{
    private const int PauseMsMax = 20;

    private readonly Clock _clock;
    private readonly PauseModel _pauses;
    private readonly Func<SimulatedConnection?> _choose;
    private readonly Func<SimulatedConnection?> _chooseWaiting;
    private readonly List<SimulatedConnection> _killed = [];
    private RandomSource _random;

    /// <summary>Makes a workload.</summary>
    /// <param name="seed">What it does comes from this.</param>
    /// <param name="clock">The server's clock.</param>
    /// <param name="pauses">The model of pauses.</param>
    /// <param name="choose">Chooses a client to kill, if any is connected.</param>
    /// <param name="chooseWaiting">Chooses a client that may wait for a key.</param>
    public OperatorWorkload(ulong seed, Clock clock, PauseModel pauses,
        Func<SimulatedConnection?> choose, Func<SimulatedConnection?> chooseWaiting)
    {
        _chooseWaiting = chooseWaiting;
        _random = new RandomSource(seed);
        _clock = clock;
        _pauses = pauses;
        _choose = choose;
    }

    /// <summary>For the canary: the server seems to ignore the pause.</summary>
    public bool OmitsPause { get; init; }

    private long NowMs => _clock.UnixMicroseconds / 1000;

    /// <inheritdoc/>
    public Request Next() => _random.NextBelow(14) switch
    {
        0 or 1 or 2 => Pause(),
        3 => Unpause(),
        4 or 5 when _choose() is { } connection => Kill(connection),
        6 => KillNoClient(),
        7 => Request.Of(["CLIENT", "LIST"], IsList),
        8 => Request.Of(["DBSIZE"], static reply => reply.Kind == ':'),
        9 => Request.Of(["PUBSUB", "NUMPAT"], static reply => reply.Kind == ':'),
        10 or 11 when _chooseWaiting() is { } connection => Unblock(connection),
        _ => Request.Of(["PING"], static reply => reply.Text == "PONG"),
    };

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect()
    {
    }

    /// <summary>Whether all killed clients are gone.</summary>
    public bool IsComplete() => _killed.All(static connection => connection.IsClosed);

    private Request Pause()
    {
        long timeoutMs = (long)_random.NextBelow(PauseMsMax);
        bool isForAll = _random.NextBelow(2) == 0;
        PauseModel.Pause pause = _pauses.Ask(NowMs, timeoutMs, isForAll);
        string timeout = timeoutMs.ToString(CultureInfo.InvariantCulture);
        string[] mode = isForAll ? _random.NextBelow(2) == 0 ? ["ALL"] : [] : ["WRITE"];
        string[] command = OmitsPause ? ["CLIENT", "NO-TOUCH", "OFF"] : ["CLIENT", "PAUSE", timeout, .. mode];
        return Request.Of(command, reply =>
        {
            _pauses.Confirm(pause, NowMs);
            return IsOk(reply);
        });
    }

    private Request Unpause()
    {
        _pauses.Unpause();
        return Request.Of(["CLIENT", "UNPAUSE"], reply =>
        {
            _pauses.Unpaused();
            return IsOk(reply);
        });
    }

    /// <summary>Kills another client, or learns that it has already gone.</summary>
    private Request Kill(SimulatedConnection connection)
    {
        string address = connection.Session.Endpoint.RemoteAddress;
        string id = connection.Session.Id.ToString(CultureInfo.InvariantCulture);
        switch (_random.NextBelow(3))
        {
            case 0:
                return Request.Of(["CLIENT", "KILL", address], reply =>
                    IsOk(reply) ? IsKilled(connection) : reply.Kind == '-' && IsGone(connection));
            case 1:
                return Request.Of(["CLIENT", "KILL", "ID", id], reply =>
                    reply.Text == "1" ? IsKilled(connection) : reply.Text == "0" && IsGone(connection));
            default:
                return Request.Of(["CLIENT", "KILL", "ADDR", address, "SKIPME", "no"], reply =>
                    reply.Text == "1" ? IsKilled(connection) : reply.Text == "0" && IsGone(connection));
        }
    }

    private Request Unblock(SimulatedConnection connection)
    {
        string id = connection.Session.Id.ToString(CultureInfo.InvariantCulture);
        string[] reason = _random.NextBelow(3) switch { 0 => ["ERROR"], 1 => ["TIMEOUT"], _ => [] };
        return Request.Of(["CLIENT", "UNBLOCK", id, .. reason], static reply => reply.Text is "0" or "1");
    }

    private Request KillNoClient() => _random.NextBelow(2) == 0
        ? Request.Of(["CLIENT", "KILL", "1.2.3.4:5"], static reply => reply.Text == "ERR No such client")
        : Request.Of(["CLIENT", "KILL", "USER", "nobody"], static reply => reply.Kind is ':' or '-');

    private bool IsKilled(SimulatedConnection connection)
    {
        _killed.Add(connection);
        return IsGone(connection);
    }

    private static bool IsGone(SimulatedConnection connection) =>
        connection.IsClosed || connection.Session.IsKilled;

    private static bool IsList(RespValue reply)
    {
        string[] lines = reply.Text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string[] addresses =
        [
            .. lines.Select(static line => line.Split(' ').First(static field => field.StartsWith("addr="))),
        ];
        return lines.Any(static line => line.Contains("cmd=client|list"))
            && addresses.Distinct().Count() == addresses.Length;
    }

    private static bool IsOk(RespValue reply) => reply is { Kind: '+', Text: "OK" };
}
