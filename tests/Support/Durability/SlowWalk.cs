using Cinnabar.Keyspace;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>A walk that makes a portion only when it is told to.</summary>
/// <param name="walk">The walk.</param>
/// <param name="budget">How many portions are left to make.</param>
public sealed class SlowWalk(IStripeWalk walk, SlowWalk.Budget budget) : IStripeWalk
{
    /// <inheritdoc/>
    public bool IsWanted => budget.Left > 0;

    /// <inheritdoc/>
    public bool Step()
    {
        budget.Left--;
        walk.Step();
        return false;
    }

    /// <summary>Slows all walks of a key space down.</summary>
    public static Budget SlowDown(Cinnabar.Keyspace.Keyspace keyspace)
    {
        var budget = new Budget();
        SlowDown(keyspace, budget);
        return budget;
    }

    /// <summary>Slows all walks of a key space down.</summary>
    public static void SlowDown(Cinnabar.Keyspace.Keyspace keyspace, Budget budget)
    {
        foreach (Stripe stripe in keyspace.Stripes)
        {
            if (stripe.Walk is { } walk)
                stripe.Walk = new SlowWalk(walk, budget);
        }
    }

    /// <summary>How many portions all walks may make.</summary>
    public sealed class Budget
    {
        public int Left { get; set; }
    }
}
