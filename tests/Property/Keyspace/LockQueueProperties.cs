using System.Collections.Generic;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>The queue of waiters of a stripe beside a list that is sorted anew each time.</summary>
public sealed class LockQueueProperties
{
    private const int StepCount = 5_000;

    [Fact]
    public void AnySequenceKeepsTheOrder() => Seeded.Run(6, static seed => Run(seed));

    private static void Run(ulong seed)
    {
        RandomSource random = new(seed);
        LockQueue queue = new();
        LockQueue other = new();
        List<LockPlace> expected = [];
        List<LockPlace> notified = [];
        long now = 0;
        for (int step = 0; step < StepCount; step++)
        {
            ulong choice = random.NextBelow(10);
            if (choice < 4)
            {
                // Some come before all others, and some at the same instant.
                LockPlace place = new(new Nobody());
                now += (long)random.NextBelow(3);
                Add(queue, expected, place, random.NextBelow(30) == 0 ? now - 1_000_000 : now);
            }
            else if (choice < 7 && queue.First is { } first)
            {
                Assert.Same(expected[0], first);
                Assert.True(queue.Remove(first));
                expected.RemoveAt(0);
                notified.Add(first);
            }
            else if (choice < 9 && notified.Count > 0)
            {
                int index = (int)random.NextBelow((ulong)notified.Count);
                LockPlace place = notified[index];
                notified.RemoveAt(index);
                Add(queue, expected, place, place.Order);
            }
            else if (expected.Count > 0)
            {
                LockPlace place = expected[(int)random.NextBelow((ulong)expected.Count)];
                Assert.False(other.Remove(place));
                Assert.True(queue.Remove(place));
                Assert.False(queue.Remove(place));
                expected.Remove(place);
            }

            if (step % 16 == 0)
                Assert.Equal(expected, InOrder(queue));
        }
    }

    private static void Add(LockQueue queue, List<LockPlace> expected, LockPlace place, long order)
    {
        queue.Add(place, order);
        int index = expected.FindIndex(one => one.Order > order);
        expected.Insert(index < 0 ? expected.Count : index, place);
    }

    private static IEnumerable<LockPlace> InOrder(LockQueue queue)
    {
        LockPlace? previous = null;
        for (LockPlace? place = queue.First; place is not null; previous = place, place = place.Next)
        {
            Assert.Same(previous, place.Previous);
            yield return place;
        }
    }

    private sealed class Nobody : ILockWaiter
    {
        public LockPlace LockPlace => throw new System.NotSupportedException();

        public void StripeReleased() => throw new System.NotSupportedException();
    }
}
