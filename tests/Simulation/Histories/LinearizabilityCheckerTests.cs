using System.Linq;
using Xunit;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>The checker accepts good histories and rejects bad ones.</summary>
public sealed class LinearizabilityCheckerTests
{
    [Fact]
    public void SequentialRegisterIsLinearizable() => AssertVerdict(Verdict.Linearizable,
        One(0, 1, 2, Call.Of(CallKind.Get, 0), Operation.Missing),
        One(0, 3, 4, Call.Of(CallKind.Set, 0, 5), 0),
        One(1, 5, 6, Call.Of(CallKind.Get, 0), 5),
        One(1, 7, 8, Call.Of(CallKind.Delete, 0), 1),
        One(0, 9, 10, Call.Of(CallKind.Increment, 0), 1));

    [Fact]
    public void StaleReadIsAViolation() => AssertVerdict(Verdict.Violation,
        One(0, 1, 2, Call.Of(CallKind.Set, 0, 1), 0),
        One(0, 3, 4, Call.Of(CallKind.Set, 0, 2), 0),
        One(1, 5, 6, Call.Of(CallKind.Get, 0), 1));

    [Fact]
    public void OverlappingWritesMayTakeEitherOrder() => AssertVerdict(Verdict.Linearizable,
        One(0, 1, 10, Call.Of(CallKind.Set, 0, 1), 0),
        One(1, 2, 9, Call.Of(CallKind.Set, 0, 2), 0),
        One(2, 11, 12, Call.Of(CallKind.Get, 0), 1));

    [Fact]
    public void TwoReadersThatSeeDifferentOrdersAreAViolation() => AssertVerdict(Verdict.Violation,
        One(0, 1, 20, Call.Of(CallKind.Set, 0, 1), 0),
        One(1, 1, 20, Call.Of(CallKind.Set, 0, 2), 0),
        One(2, 2, 3, Call.Of(CallKind.Get, 0), 1),
        One(2, 4, 5, Call.Of(CallKind.Get, 0), 2),
        One(3, 6, 7, Call.Of(CallKind.Get, 0), 1));

    [Fact]
    public void LostIncrementIsAViolation() => AssertVerdict(Verdict.Violation,
        One(0, 1, 10, Call.Of(CallKind.Increment, 0), 1),
        One(1, 1, 10, Call.Of(CallKind.Increment, 0), 1));

    [Fact]
    public void WhatWasNeverAnsweredMayOrMayNotHaveHappened()
    {
        Operation unknown = One(0, 1, long.MaxValue, Call.Of(CallKind.Set, 0, 1));
        AssertVerdict(Verdict.Linearizable, unknown, One(1, 5, 6, Call.Of(CallKind.Get, 0), 1));
        AssertVerdict(Verdict.Linearizable, unknown,
            One(1, 5, 6, Call.Of(CallKind.Get, 0), Operation.Missing));
        AssertVerdict(Verdict.Violation, unknown, One(1, 5, 6, Call.Of(CallKind.Get, 0), 1),
            One(1, 7, 8, Call.Of(CallKind.Get, 0), Operation.Missing));
    }

    [Fact]
    public void TornWriteOfTwoKeysIsAViolation() => AssertVerdict(Verdict.Violation,
        One(0, 1, 2, new Call(CallKind.SetMany, [0, 1], [1, 1]), 0),
        One(0, 3, 10, new Call(CallKind.SetMany, [0, 1], [2, 2]), 0),
        One(1, 4, 9, new Call(CallKind.GetMany, [0, 1], []), 2, 1));

    [Fact]
    public void WriteSkewIsAViolation() => AssertVerdict(Verdict.Violation,
        One(0, 1, 2, new Call(CallKind.SetMany, [0, 1], [1, 1]), 0),
        One(1, 3, 4, new Call(CallKind.Watch, [0, 1], []), 0),
        One(2, 3, 4, new Call(CallKind.Watch, [0, 1], []), 0),
        One(1, 5, 6, new Call(CallKind.GetMany, [0, 1], []), 1, 1),
        One(2, 5, 6, new Call(CallKind.GetMany, [0, 1], []), 1, 1),
        Exec(1, 7, 9, [0], Call.Of(CallKind.Set, 0, 0)),
        Exec(2, 7, 9, [0], Call.Of(CallKind.Set, 1, 0)));

    [Fact]
    public void WriteSkewAvoidedIsSerializable() => AssertVerdict(Verdict.Linearizable,
        One(1, 3, 4, new Call(CallKind.Watch, [0, 1], []), 0),
        One(2, 3, 4, new Call(CallKind.Watch, [0, 1], []), 0),
        Exec(1, 7, 9, [0], Call.Of(CallKind.Set, 0, 0)),
        Exec(2, 7, 9, null, Call.Of(CallKind.Set, 1, 0)));

    [Fact]
    public void RefusalWithoutAChangeIsAViolation() => AssertVerdict(Verdict.Violation,
        One(1, 3, 4, new Call(CallKind.Watch, [0], []), 0),
        Exec(1, 7, 9, null, Call.Of(CallKind.Set, 0, 0)));

    [Fact]
    public void TransactionIsOneStep() => AssertVerdict(Verdict.Violation,
        Exec(0, 1, 10, [1, 2], Call.Of(CallKind.Increment, 0), Call.Of(CallKind.Increment, 0)),
        One(1, 2, 9, Call.Of(CallKind.Get, 0), 1));

    [Fact]
    public void OrderOfAPipelineCounts() => AssertVerdict(Verdict.Violation,
        One(0, 1, 10, Call.Of(CallKind.Set, 0, 1), 0),
        One(0, 2, 9, Call.Of(CallKind.Get, 0), Operation.Missing));

    [Fact]
    public void AMemberIsPoppedOnce()
    {
        Operation added = One(0, 1, 2, Call.Of(CallKind.AddMembers, 1, 3, 5), 2);
        Operation lowest = One(1, 3, 10, Call.Of(CallKind.PopLowest, 1), 3, 3);
        Operation moved = One(3, 11, 12, new Call(CallKind.MoveMember, [1, 3], [5]), 1);
        AssertMembers(Verdict.Linearizable, added, lowest,
            One(2, 4, 9, new Call(CallKind.WaitLowest, [3, 1], []), 1, 5, 5),
            One(3, 11, 12, Call.Of(CallKind.PopAny, 1), Operation.Missing));
        AssertMembers(Verdict.Linearizable, added, lowest, moved,
            One(2, 13, 14, Call.Of(CallKind.Members, 3), 1L << 5));
        AssertMembers(Verdict.Violation, added, lowest,
            One(2, 4, 9, new Call(CallKind.WaitLowest, [3, 1], []), 1, 3, 3));
        AssertMembers(Verdict.Violation, added, One(1, 3, 10, Call.Of(CallKind.PopLowest, 1), 5, 5));
        AssertMembers(Verdict.Violation, added, moved, One(2, 13, 14, Call.Of(CallKind.PopAny, 1), 5));
    }

    private static void AssertMembers(Verdict expected, params Operation[] history) =>
        Assert.Equal(expected, LinearizabilityChecker.Check(history, new MemberModel()));

    private static Operation One(int client, long from, long to, Call call, params long[] results) => new()
    {
        Client = client, InvokedAt = from, ReturnedAt = to, Calls = [call], Results = results,
    };

    private static Operation Exec(
        int client, long from, long to, long[]? results, params Call[] calls) => new()
    {
        Client = client,
        InvokedAt = from,
        ReturnedAt = to,
        Calls = calls,
        Results = results,
        IsTransaction = true,
    };

    private static void AssertVerdict(Verdict expected, params Operation[] history) =>
        Assert.Equal(
            expected, LinearizabilityChecker.Check([.. history.OrderBy(static one => one.InvokedAt)]));
}
