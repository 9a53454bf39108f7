using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Messaging.Tracking;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Tracking;

/// <summary>The table of tracked keys beside a dictionary of sets.</summary>
public sealed unsafe class TrackedKeysTests
{
    private const int StepCount = 5000;

    [Fact]
    public void HoldsWhatADictionaryHolds() => Seeded.Run(3, static seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using (var arena = new Arena(pages, "test"))
        {
            var random = new Random((int)seed);
            var keys = new TrackedKeys(arena);
            var model = new Dictionary<string, SortedSet<long>>();
            HashSet<long> dead = [];
            for (int step = 0; step < StepCount; step++)
                Step(random, keys, model, dead);
            Assert.Equal(model.Count, keys.Count);
            while (keys.TryTakeAny(out TrackedKey* entry))
                TakeAndFree(keys, model, dead, entry);
            Assert.Empty(model);
            Assert.Equal(0, keys.IdCount);
            keys.Clear();
        }

        Assert.Empty(pages.LeakReport());
    });

    private static void Step(
        Random random, TrackedKeys keys, Dictionary<string, SortedSet<long>> model, HashSet<long> dead)
    {
        string name = new string('k', random.Next(3) == 0 ? random.Next(300) : 3) + random.Next(200);
        byte[] bytes = Encoding.ASCII.GetBytes(name);
        // Some hashes are the same.
        ulong hash = (ulong)(name.Length * 131) + (name[^1] % 7UL);
        long id = random.Next(1, 60);
        switch (random.Next(8))
        {
            case 0:
                Assert.Equal(model.ContainsKey(name), keys.TryTake(hash, bytes, out TrackedKey* taken));
                if (taken != null)
                    TakeAndFree(keys, model, dead, taken);
                break;
            case 1 when random.Next(40) == 0:
                dead.Add(id);
                break;
            default:
                if (dead.Contains(id))
                    break;
                Assert.Equal(!model.ContainsKey(name), keys.Add(hash, bytes, id, one => !dead.Contains(one)));
                if (!model.TryGetValue(name, out SortedSet<long>? ids))
                    model[name] = ids = [];
                ids.Add(id);
                break;
        }
    }

    private static void TakeAndFree(TrackedKeys keys, Dictionary<string, SortedSet<long>> model,
        HashSet<long> dead, TrackedKey* entry)
    {
        string name = Encoding.ASCII.GetString(entry->Key);
        Assert.True(model.Remove(name, out SortedSet<long>? expected), name);
        long[] ids = new ReadOnlySpan<long>(entry->Ids, entry->IdCount).ToArray();
        Assert.Equal(ids.Order(), ids);
        Assert.Equal(expected.Where(id => !dead.Contains(id)), ids.Where(id => !dead.Contains(id)));
        keys.Free(entry);
    }
}
