// A client that caches what it reads, by the rules: it keeps a value until an invalidation, and drops what
// it writes itself. Every value is a version: the number that the write got from one counter, in the same
// script, so versions are in the order of the commits. Whenever a reply shows a version, nothing that the
// client has in its cache may have been overwritten by a write of that version or an earlier one. That is
// checked at the end, when the versions of all writes are known.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Tracking;

/// <summary>A client that caches, and the check of what it had in its cache.</summary>
internal sealed class CachingClient
{
    private const int SentCountMax = 12;
    private const string Write = "local v = redis.call('incr', 'clock') redis.call('del', KEYS[1]) "
        + "redis.call('rpush', KEYS[1], v) return v";
    private const string Delete = "local v = redis.call('incr', 'clock') redis.call('del', KEYS[1]) return v";
    private const string ReadTwo =
        "return {redis.call('lindex', KEYS[1], 0), redis.call('lindex', KEYS[2], 0)}";

    private static readonly string[] s_modes =
        ["", "NOLOOP", "OPTIN", "OPTOUT", "BCAST", "BCAST PREFIX k", "BCAST NOLOOP PREFIX k"];

    private readonly Random _random;
    private readonly Action<byte[]> _send;
    private readonly string _mode;
    private readonly int _keyCount;
    private readonly List<(string Key, long Version)> _writes = [];
    private readonly Queue<Action<RespValue>> _sent = new();
    private readonly Dictionary<string, long> _cache = [];
    private readonly List<(long Version, KeyValuePair<string, long>[] Cache)> _seen = [];
    private bool _isUncached;
    private bool _isReadUncached;

    /// <summary>Begins to track.</summary>
    /// <param name="send">Sends bytes to the server.</param>
    /// <param name="seed">What its randomness comes from.</param>
    /// <param name="keyCount">Number of keys.</param>
    public CachingClient(Action<byte[]> send, int seed, int keyCount)
    {
        (_send, _keyCount) = (send, keyCount);
        _random = new Random(seed);
        _mode = s_modes[_random.Next(s_modes.Length)];
        Send(static _ => { }, "HELLO", "3");
        Send(static _ => { }, ["CLIENT", "TRACKING", "ON", .. _mode.Split(' ',
            StringSplitOptions.RemoveEmptyEntries)]);
    }

    /// <summary>Whether it takes no notice of invalidations: the check must find that.</summary>
    public bool IsDeaf { get; init; }

    /// <summary>Commands without replies.</summary>
    public int SentCount => _sent.Count;

    /// <summary>The keys that it has written, with the versions.</summary>
    public IEnumerable<(string Key, long Version)> Writes => _writes;

    /// <summary>Invalidations that came.</summary>
    public long InvalidationCount { get; private set; }

    /// <summary>Sends a command or several.</summary>
    public void Ask()
    {
        if (_sent.Count > SentCountMax)
            return;
        (string one, string other) = (Key(), Key());
        switch (_random.Next(10))
        {
            case 0:
                Send(reply => Written(one, reply), "EVAL", Write, "1", one);
                break;
            case 1:
                Send(reply => Written(one, reply), "EVAL", Delete, "2", one, "clock");
                break;
            case 2 or 3:
                Choose();
                Send(reply => Read(reply.Items, one), "LRANGE", one, "0", "-1");
                break;
            case 4:
                Choose();
                Send(static _ => { }, "MULTI");
                Send(static _ => { }, "LINDEX", one, "0");
                Send(static _ => { }, "LINDEX", other, "0");
                Send(reply => Read(reply.Items, one, other), "EXEC");
                break;
            case 5:
                Choose();
                Send(reply => Read(reply.Items, one, other), "EVAL", ReadTwo, "2", one, other);
                break;
            default:
                Choose();
                Send(reply => Read([reply], one), "LINDEX", one, "0");
                break;
        }
    }

    /// <summary>Reads no more: what is in its cache is not checked at the end.</summary>
    public void EndCaching() => _cache.Clear();

    /// <summary>Takes a reply or a push.</summary>
    public void Accept(RespValue reply)
    {
        if (reply.Kind == '>')
            Invalidate(reply);
        else if (reply.Kind == '-')
            throw new InvalidDataException($"{_mode}: {reply.Text}");
        else
            _sent.Dequeue()(reply);
    }

    /// <summary>Fails if the cache was stale when a reply showed a later state; at the end, when all writes
    /// are known and all messages have come.</summary>
    /// <param name="writes">The writes of all clients.</param>
    public void Check(IEnumerable<(string Key, long Version)> writes)
    {
        ILookup<string, long> versions = writes.ToLookup(static one => one.Key, static one => one.Version);
        _seen.Add((long.MaxValue, [.. _cache]));
        foreach ((long seen, KeyValuePair<string, long>[] cache) in _seen)
        {
            foreach ((string key, long cached) in cache)
            {
                foreach (long version in versions[key])
                {
                    if (version > cached && version <= seen)
                    {
                        throw new InvalidDataException($"Mode '{_mode}': {key} was {cached} in the cache "
                            + $"when a reply showed {seen}, after {version} was written.");
                    }
                }
            }
        }
    }

    // What is sent next is to be tracked (OPTIN) or not (OPTOUT): then it is not cached.
    private void Choose()
    {
        if (_mode == "OPTIN")
            Send(static _ => { }, "CLIENT", "CACHING", "YES");
        _isUncached = _mode == "OPTOUT" && _random.Next(3) == 0;
        if (_isUncached)
            Send(static _ => { }, "CLIENT", "CACHING", "NO");
    }

    private string Key() => $"k{_random.Next(_keyCount)}";

    private void Send(Action<RespValue> accept, params string[] words)
    {
        _send(RespClient.Encode(words));
        bool isUncached = _isUncached;
        _sent.Enqueue(reply =>
        {
            _isReadUncached = isUncached;
            accept(reply);
        });
    }

    private void Written(string key, RespValue reply)
    {
        long version = long.Parse(reply.Text, CultureInfo.InvariantCulture);
        _writes.Add((key, version));
        _cache.Remove(key);
        See(version);
    }

    private void Read(IReadOnlyList<RespValue> values, params ReadOnlySpan<string> keys)
    {
        long last = 0;
        for (int index = 0; index < keys.Length; index++)
        {
            _cache.Remove(keys[index]);
            if (index >= values.Count || values[index].Kind == '_')
                continue;
            long version = long.Parse(values[index].Text, CultureInfo.InvariantCulture);
            if (!_isReadUncached)
                _cache[keys[index]] = version;
            last = Math.Max(last, version);
        }

        if (last > 0)
            See(last);
    }

    private void See(long version) => _seen.Add((version, [.. _cache]));

    private void Invalidate(RespValue push)
    {
        InvalidationCount++;
        if (IsDeaf)
            return;
        if (push.Items[1].Kind == '_')
            _cache.Clear();
        foreach (RespValue key in push.Items[1].Items)
            _cache.Remove(key.Text);
    }
}
