using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.EndToEnd.Replication;

/// <summary>A master, two replicas, and three Sentinels that watch them.</summary>
internal sealed class WatchedServers : IDisposable
{
    private const int PatienceMs = 300_000;
    private const int PollMs = 50;

    private readonly List<DirectoryInfo> _directories = [];
    private readonly bool _isOwn;

    /// <summary>Starts them and waits until all know each other.</summary>
    /// <param name="downAfterMs">How long a server must be silent to count as down.</param>
    /// <param name="isOwn">Whether the servers are Cinnabar's; else redis-servers.</param>
    public WatchedServers(int downAfterMs, bool isOwn = true)
    {
        _isOwn = isOwn;
        Servers = [StartServer("")];
        string below = $"replicaof 127.0.0.1 {Servers[0].Port}";
        Servers = [Servers[0], StartServer(below), StartServer(below)];
        Sentinels =
        [
            .. Enumerable.Range(0, 3).Select(_ => new SentinelProcess(Servers[0].Port, downAfterMs)),
        ];
        Await("all Sentinels know each other and all servers", () => Sentinels.All(static one =>
            one.Field("num-slaves") == "2" && one.Field("num-other-sentinels") == "2"));
        Await("the replicas are in sync", () => Info(Servers[0], "connected_slaves") == "2"
            && Servers[1..].All(static one => Info(one, "master_link_status") == "up"));
    }

    /// <summary>The servers; the first is the master at the beginning.</summary>
    public StoredServer[] Servers { get; }

    /// <summary>Those that watch.</summary>
    public SentinelProcess[] Sentinels { get; }

    /// <summary>The present master, when all Sentinels agree; null: they do not.</summary>
    public StoredServer? Master
    {
        get
        {
            string port = Sentinels[0].Field("port");
            return Sentinels.All(one => one.Field("port") == port)
                ? Array.Find(Servers, one => one.Port.ToString(CultureInfo.InvariantCulture) == port) : null;
        }
    }

    /// <summary>A field of a server's INFO replication.</summary>
    public static string Info(StoredServer server, string name)
    {
        using RespClient client = server.Connect();
        foreach (string line in client.Call("INFO", "replication").Text.Split("\r\n"))
        {
            if (line.StartsWith(name + ":", StringComparison.Ordinal))
                return line[(name.Length + 1)..];
        }

        return "";
    }

    /// <summary>Waits until something is so.</summary>
    public void Await(string what, Func<bool> isSo)
    {
        for (long start = Environment.TickCount64; !isSo(); Thread.Sleep(PollMs))
        {
            if (Environment.TickCount64 - start > PatienceMs)
            {
                throw new TimeoutException(
                    $"it takes too long until {what}:\n{Sentinels[0].Log}\n{Servers[1].Log}");
            }
        }
    }

    /// <summary>Whether a server is a master that one of the others follows.</summary>
    public bool HasReplica(StoredServer server) =>
        Info(server, "role") == "master" && Info(server, "connected_slaves") != "0";

    /// <summary>Starts a master again that has failed: it becomes a replica of the new one. The Sentinels
    /// have rewritten its configuration, or do so when it is back.</summary>
    public void ReturnAsReplica(StoredServer old, StoredServer master)
    {
        old.Restart();
        Await("the old master is a replica in sync", () => IsInSync(old, master));
        string path = Path.Combine(DirectoryOf(old), "server.conf");
        Await("its configuration says so", () => File.ReadAllText(path)
            .Contains($"replicaof 127.0.0.1 {master.Port}", StringComparison.Ordinal));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (SentinelProcess sentinel in Sentinels)
            sentinel.Dispose();
        foreach (StoredServer server in Servers)
            server.Dispose();
        foreach (DirectoryInfo directory in _directories)
            directory.Delete(recursive: true);
    }

    // A Sentinel that makes a server a replica ends the connections of its clients.
    private static bool IsInSync(StoredServer replica, StoredServer master)
    {
        try
        {
            return Info(replica, "role") == "slave" && Info(replica, "master_link_status") == "up"
                && Digest(replica) == Digest(master);
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static string Digest(StoredServer server)
    {
        using RespClient client = server.Connect();
        return client.Call("DEBUG", "DIGEST").Text;
    }

    private static string DirectoryOf(StoredServer server)
    {
        using RespClient client = server.Connect();
        return client.Call("CONFIG", "GET", "dir").Items[1].Text;
    }

    private StoredServer StartServer(string configuration)
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-watched-");
        _directories.Add(directory);
        return StoredServer.StartConfigured(directory.FullName,
            $"io-threads 2\nenable-debug-command yes\nrepl-diskless-sync-delay 0\n{configuration}", _isOwn);
    }
}
