using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Xunit;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Digests distinguish the states of the model: a search that confused two would report false
/// faults.</summary>
public sealed class ModelStateTests
{
    [Fact]
    public void CopiesWithDifferentDeadlinesDiffer()
    {
        Place[] places = [.. Enumerable.Range(0, Scene.DatabaseCount)
            .SelectMany(static database => Scene.AllKeys.Select(key => new Place(database, key)))];
        var content = new Content.Text("v1");
        HashSet<string> digests = [];
        int count = 0;
        foreach (Place one in places)
        {
            foreach (Place other in places.Where(place => place != one))
            {
                ImmutableDictionary<Place, Entry> keys = ImmutableDictionary<Place, Entry>.Empty
                    .Add(one, new Entry(content, 0)).Add(other, new Entry(content, 1));
                digests.Add((ModelState.Empty with { Keys = keys }).Digest);
                count++;
            }
        }

        Assert.Equal(count, digests.Count);
    }
}
