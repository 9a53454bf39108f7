using System;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>A member that many sources of a union share costs a lookup for each, and its place in the order
/// once: 20 sets of 150,000 such members took ten seconds when each addition moved it there.</summary>
public sealed class SharedMembersTests
{
    private const int SourceCount = 20;
    private const int MemberCount = 5000;

    [Fact]
    public void AreAddedForEachSourceAndOrderedOnce()
    {
        using var fixture = new KeyspaceFixture(18, stripeCount: 1);
        fixture.Access.Begin(0, fixture.NowMs);
        var store = new SortedSetStore(fixture.Access);
        SortedSetBuilder source = store.Build();
        byte[] member = new byte[sizeof(int)];
        for (int number = 0; number < MemberCount; number++)
        {
            BitConverter.TryWriteBytes(member, number);
            source.Add(member, MemberCount - number);
        }

        SortedSetBuilder union = store.Build();
        long additionCount = 0;
        for (int index = 0; index < SourceCount; index++)
        {
            SortedSetWalk walk = source.View.Walk();
            while (walk.MoveNext())
            {
                union.Add(walk.Member, walk.Score);
                additionCount++;
            }

            Assert.Equal(MemberCount, union.Count);
            Assert.False(union.HasOrder, "an addition has made the order");
        }

        Assert.Equal(SourceCount * MemberCount, additionCount);
        union.Complete();
        Assert.True(union.HasOrder);
        CheckSums(union.View);
        union.Dispose();
        source.Dispose();
        fixture.Access.Commit();
    }

    private static void CheckSums(SortedSetView union)
    {
        SortedSetWalk walk = union.Walk();
        for (int rank = 1; walk.MoveNext(); rank++)
        {
            Assert.Equal(SourceCount * rank, walk.Score);
            Assert.Equal(MemberCount - rank, BitConverter.ToInt32(walk.Member));
        }
    }
}
