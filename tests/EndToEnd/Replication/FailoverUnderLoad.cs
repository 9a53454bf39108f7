using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.EndToEnd.Replication;

/// <summary>A failover by Sentinels while clients write: one waits after each write until both replicas have
/// it, the others count on what the master alone has acknowledged.</summary>
/// <param name="isOwn">Whether the servers are Cinnabar's; else redis-servers.</param>
/// <param name="isFrozen">Whether the master stands still before it ends; else it ends at once.</param>
internal sealed class FailoverUnderLoad(bool isOwn, bool isFrozen)
{
    private const int DownAfterMs = 5_000;
    private const int ConfirmedMin = 50;
    private const int CounterCount = 3;
    private const int Depth = 20;

    private readonly List<string> _confirmed = [];
    private readonly long[] _acknowledged = new long[CounterCount];

    /// <summary>Writes of which both replicas have told that they have them.</summary>
    public int ConfirmedCount { get; private set; }

    /// <summary>Those of them that the new master does not have.</summary>
    public int LostConfirmedCount { get; private set; }

    /// <summary>Writes that the old master alone has acknowledged.</summary>
    public long AcknowledgedCount { get; private set; }

    /// <summary>Those of them that the new master does not have.</summary>
    public long LostAcknowledgedCount { get; private set; }

    /// <summary>Runs it, until Cinnabar's old master is a replica of the new one with its data.</summary>
    public void Run()
    {
        using var watched = new WatchedServers(DownAfterMs, isOwn);
        StoredServer old = watched.Servers[0];
        Task[] writers =
        [
            Task.Run(() => WriteConfirmed(old)),
            .. Enumerable.Range(0, CounterCount).Select(number => Task.Run(() => Count(old, number))),
        ];
        watched.Await("writes are confirmed", () => writers[0].IsCompleted
            || (Confirmed().Length >= ConfirmedMin && Array.TrueForAll(_acknowledged, IsCounted)));
        if (isFrozen)
            old.Freeze(true);
        else
            old.Kill();
        watched.Await("another is the master",
            () => watched.Master is { } other && other != old && watched.HasReplica(other));
        if (isFrozen)
            old.Kill();
        Task.WaitAll(writers);
        StoredServer master = watched.Master!;
        Compare(master);
        if (isOwn)
            watched.ReturnAsReplica(old, master);
    }

    /// <inheritdoc/>
    public override string ToString() => $"{(isOwn ? "Cinnabar" : "redis-server")}: {LostConfirmedCount} of "
        + $"{ConfirmedCount} confirmed writes lost, {LostAcknowledgedCount} of {AcknowledgedCount} that were "
        + "acknowledged only";

    private static bool IsCounted(long count) => count > 0;

    private string[] Confirmed()
    {
        lock (_confirmed)
            return [.. _confirmed];
    }

    private void Compare(StoredServer master)
    {
        using RespClient client = master.Connect();
        string[] confirmed = Confirmed();
        ConfirmedCount = confirmed.Length;
        LostConfirmedCount = confirmed.Count(key => client.Call("EXISTS", key).ToString() != ":1");
        for (int number = 0; number < CounterCount; number++)
        {
            string value = client.Call("GET", $"count:{number}").Text;
            long stored = value.Length == 0 ? 0 : long.Parse(value);
            AcknowledgedCount += _acknowledged[number];
            LostAcknowledgedCount += Math.Max(0, _acknowledged[number] - stored);
        }
    }

    private void WriteConfirmed(StoredServer master) => UntilItIsGone(master, client =>
    {
        for (int number = 0; ; number++)
        {
            string key = $"key:{number}";
            client.Call("SET", key, "value");
            if (client.Run("WAIT 2 10000") != ":2")
                continue;
            lock (_confirmed)
                _confirmed.Add(key);
        }
    });

    private void Count(StoredServer master, int number) => UntilItIsGone(master, client =>
    {
        string key = $"count:{number}";
        byte[] pipeline = [.. Enumerable.Repeat(RespClient.Encode(["INCR", key]), Depth)
            .SelectMany(static one => one)];
        while (true)
        {
            client.SendRaw(pipeline);
            for (int read = 0; read < Depth; read++)
                Volatile.Write(ref _acknowledged[number], client.Read().Integer);
        }
    });

    private static void UntilItIsGone(StoredServer master, Action<RespClient> write)
    {
        try
        {
            using RespClient client = master.Connect();
            write(client);
        }
        catch (Exception fault) when (fault is IOException or SocketException)
        {
            // It has gone.
        }
    }
}
