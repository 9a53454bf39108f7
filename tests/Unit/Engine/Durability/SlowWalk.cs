using Cinnabar.Keyspace;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>A walk that makes a portion only when it is told to.</summary>
internal sealed class SlowWalk(IStripeWalk walk, SlowWalk.Budget budget) : IStripeWalk
{
    public bool IsWanted => budget.Left > 0;

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
        foreach (Stripe stripe in keyspace.Stripes)
        {
            if (stripe.Walk is { } walk)
                stripe.Walk = new SlowWalk(walk, budget);
        }

        return budget;
    }

    /// <summary>How many portions all walks may make.</summary>
    internal sealed class Budget
    {
        public int Left { get; set; }
    }
}
