using System;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>What an operator and other programs do to a server while clients work: saves, flushes, limits,
/// settings, users, messages.</summary>
/// <param name="port">The server's port.</param>
/// <param name="seed">The seed of its choices.</param>
internal sealed class SoakOperator(int port, int seed) : IDisposable
{
    private const int PressureBytesMin = 8 << 20;
    private readonly RespClient _admin = new(port);
    private readonly Random _random = new(seed);
    private long _publishedCount;

    /// <summary>Where numbers are published, each one greater than the last.</summary>
    public const string Channel = "numbers";

    private static string[] Policies { get; } =
    [
        "allkeys-lru", "noeviction", "volatile-ttl", "allkeys-lfu", "allkeys-random", "volatile-lru",
        "allkeys-lrm", "volatile-lfu", "volatile-random", "volatile-lrm",
    ];

    /// <summary>Publishes the next numbers.</summary>
    public void Publish()
    {
        for (int count = _random.Next(20); count > 0; count--)
            _admin.Call("PUBLISH", Channel, $"{_publishedCount++}");
        _admin.Call("SPUBLISH", $"shard:{_random.Next(20)}", "unread");
    }

    /// <summary>Does one thing that leaves the keys of database 0 as they are.</summary>
    public void Act()
    {
        switch (_random.Next(14))
        {
            case 0 or 1:
                Save("BGSAVE", "SCHEDULE");
                break;
            case 2:
                Save("BGREWRITEAOF");
                break;
            case 3:
                Expect("SELECT", LooseClient.Database);
                Expect("FLUSHDB", _random.Next(2) == 0 ? "ASYNC" : "SYNC");
                Expect("SELECT", "0");
                break;
            case 4:
                Expect("SWAPDB", LooseClient.Database, "10");
                break;
            case 5:
                Expect("CONFIG", "SET", "activedefrag", _random.Next(2) == 0 ? "yes" : "no");
                break;
            case 6:
                Expect("ACL", "SETUSER", "guest", "on", ">secret", "~guest:*", "+@read");
                _admin.Call("ACL", "DELUSER", "guest");
                break;
            case 7:
                Expect("SCRIPT", "FLUSH");
                break;
            case 8:
                Kill();
                break;
            case 9:
                Expect("MEMORY", "PURGE");
                break;
            case 10:
                Expect("CONFIG", "SET", "hash-max-listpack-entries", $"{_random.Next(2) * 512}");
                break;
            case 11:
                Expect("CLIENT", "PAUSE", "5", "WRITE");
                break;
            case 12:
                Expect("CONFIG", "SET", "notify-keyspace-events", _random.Next(2) == 0 ? "AKE" : "");
                break;
            default:
                Expect("FUNCTION", "FLUSH");
                break;
        }
    }

    /// <summary>Does one thing that keys may not survive.</summary>
    public void Press()
    {
        if (_random.Next(4) == 0)
            Expect("FLUSHALL", _random.Next(2) == 0 ? "ASYNC" : "SYNC");
        Limit(PressureBytesMin + _random.Next(2 * PressureBytesMin), _random.Next(Policies.Length));
    }

    /// <summary>Sets the limit of memory.</summary>
    /// <param name="bytes">The limit; 0: none.</param>
    /// <param name="policy">The index of a policy; they repeat.</param>
    public void Limit(long bytes, int policy)
    {
        Expect("CONFIG", "SET", "maxmemory-policy", Policies[policy % Policies.Length]);
        Expect("CONFIG", "SET", "maxmemory", $"{bytes}");
    }

    /// <summary>Removes all that clients have left in the server.</summary>
    public void Empty()
    {
        Limit(0, 0);
        Expect("FLUSHALL");
        Expect("SCRIPT", "FLUSH");
        Expect("FUNCTION", "FLUSH");
        Expect("SLOWLOG", "RESET");
        Expect("CONFIG", "RESETSTAT");
        Expect("CONFIG", "SET", "activedefrag", "no");
        Expect("MEMORY", "PURGE");
    }

    /// <inheritdoc/>
    public void Dispose() => _admin.Dispose();

    // One that waits is ended by another.
    private void Kill()
    {
        using var victim = new RespClient(port);
        string id = victim.Call("CLIENT", "ID").Text;
        victim.Send("BLPOP", "never", "0");
        Assert.Equal(":1", _admin.Call("CLIENT", "KILL", "ID", id).ToString());
    }

    // Another one may be under way, which is no fault.
    private void Save(params string[] command)
    {
        string reply = _admin.Call(command).ToString();
        Assert.True(!reply.StartsWith('-') || reply.Contains("in progress", StringComparison.Ordinal), reply);
    }

    private void Expect(params string[] command)
    {
        string reply = _admin.Call(command).ToString();
        Assert.True(reply == "+OK", $"{string.Join(' ', command)} got {reply}");
    }
}
