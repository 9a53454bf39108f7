using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public sealed class FieldDeadlinesProperties
{
    [Theory]
    [InlineData(20, 4, 400)]
    [InlineData(3_000, 2, 6_000)]
    public void ActLikeASortedListWhileASnapshotIsHeld(int sizeMax, int rounds, int steps) =>
        Seeded.Run(rounds, seed => CheckedTrees.Run(new HashSeed(seed, 2), arenaCount: 1, (source, _) =>
        {
            var random = new RandomSource(seed);
            var model = new SortedSet<(long DeadlineMs, string Field)>(new ByDeadline());
            FieldDeadlines deadlines = FieldDeadlines.Create(source);
            FieldDeadlines snapshot = deadlines.Retain();
            var snapshotModel = new List<(long DeadlineMs, string Field)>();
            for (int step = 0; step < steps; step++)
            {
                Change(source, ref deadlines, model, sizeMax, ref random);
                Check(in deadlines, model, (long)random.NextBelow(100));
                if (random.NextBelow(500) != 0)
                    continue;
                CheckAll(source, snapshot, snapshotModel);
                snapshot = deadlines.Retain();
                snapshotModel = [.. model];
            }

            CheckAll(source, snapshot, snapshotModel);
            CheckAll(source, deadlines, [.. model]);
        }));

    private static void Change(TreeSource source, ref FieldDeadlines deadlines,
        SortedSet<(long DeadlineMs, string Field)> model, int sizeMax, ref RandomSource random)
    {
        ulong choice = random.NextBelow(10);
        if (choice < 6 || model.Count == 0)
        {
            // Few deadlines, so that many fields share one; fields of up to 90 bytes.
            long deadlineMs = (long)random.NextBelow(100);
            string field = random.NextBelow((ulong)sizeMax).ToString(CultureInfo.InvariantCulture)
                + new string('x', (int)random.NextBelow(3) * 40);
            if (model.Add((deadlineMs, field)))
                deadlines.Add(source, deadlineMs, Encoding.ASCII.GetBytes(field));
        }
        else if (choice < 8)
        {
            model.Remove(model.Min);
            deadlines.RemoveFirst(source);
        }
        else
        {
            (long deadlineMs, string field) = model.ElementAt((int)random.NextBelow((ulong)model.Count));
            model.Remove((deadlineMs, field));
            deadlines.Remove(source, deadlineMs, Encoding.ASCII.GetBytes(field));
        }
    }

    private static void Check(
        in FieldDeadlines deadlines, SortedSet<(long DeadlineMs, string Field)> model, long nowMs)
    {
        Assert.Equal(model.Count, deadlines.Count);
        if (model.Count == 0)
            return;
        Assert.Equal(model.Min.DeadlineMs, deadlines.FirstMs);
        Assert.Equal(model.Min.Field, Encoding.ASCII.GetString(deadlines.FirstField));
        Assert.Equal(model.TakeWhile(one => one.DeadlineMs <= nowMs).Count(), deadlines.CountDue(nowMs));
    }

    // Takes everything out, one by one, and gives the reference up.
    private static void CheckAll(
        TreeSource source, FieldDeadlines deadlines, List<(long DeadlineMs, string Field)> model)
    {
        foreach ((long deadlineMs, string field) in model)
        {
            Assert.Equal(deadlineMs, deadlines.FirstMs);
            Assert.Equal(field, Encoding.ASCII.GetString(deadlines.FirstField));
            deadlines.RemoveFirst(source);
        }

        Assert.Equal(0, deadlines.Count);
        deadlines.Release(source);
    }

    private sealed class ByDeadline : IComparer<(long DeadlineMs, string Field)>
    {
        public int Compare((long DeadlineMs, string Field) one, (long DeadlineMs, string Field) other)
        {
            int difference = one.DeadlineMs.CompareTo(other.DeadlineMs);
            return difference != 0 ? difference : string.CompareOrdinal(one.Field, other.Field);
        }
    }
}
