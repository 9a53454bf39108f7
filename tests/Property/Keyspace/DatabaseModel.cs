using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>
/// A database as a dictionary. Keys past their deadline stay in it until the key space reports them as
/// expired: their memory is still there and they still count.
/// </summary>
internal sealed class DatabaseModel
{
    /// <summary>The keys, the dead ones included.</summary>
    public Dictionary<string, KeyModel> Keys { get; } = [];

    /// <summary>How many keys have a deadline.</summary>
    public long VolatileCount => Keys.Values.Count(key => key.DeadlineMs >= 0);

    /// <summary>The key, if it is there and alive.</summary>
    public KeyModel? Find(string name, long nowMs) =>
        Keys.TryGetValue(name, out KeyModel? key) && !key.IsDead(nowMs) ? key : null;

    /// <summary>Stores a key. One that is dead must have been reported before.</summary>
    public void Store(string name, KeyModel key, long nowMs)
    {
        if (Keys.TryGetValue(name, out KeyModel? old))
            Assert.False(old.IsDead(nowMs), $"{name} was overwritten but not reported as expired");
        Keys[name] = key;
    }

    /// <summary>Removes a key that is alive.</summary>
    public bool Remove(string name, long nowMs)
    {
        if (Find(name, nowMs) is null)
            return false;
        return Keys.Remove(name);
    }

    /// <summary>Removes a key that was reported as expired.</summary>
    public void Expire(string name, long nowMs)
    {
        Assert.True(Keys.TryGetValue(name, out KeyModel? key), $"{name} expired but was not there");
        Assert.True(key!.IsDead(nowMs), $"{name} expired before its deadline");
        Keys.Remove(name);
    }

    /// <summary>The mean time to live.</summary>
    public long MeanTimeToLiveMs(long nowMs)
    {
        if (VolatileCount == 0)
            return 0;
        System.Int128 sum = 0;
        foreach (KeyModel key in Keys.Values)
            sum += key.DeadlineMs >= 0 ? key.DeadlineMs : 0;
        return (long)System.Int128.Max(0, (sum / VolatileCount) - nowMs);
    }
}
