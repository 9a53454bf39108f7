namespace Cinnabar.Commands;

/// <summary>
/// What begins to load the memory of commands on one key before the first of them runs; a spec names it as
/// its command's lookahead. It changes nothing and replies nothing.
/// </summary>
public static class Lookaheads
{
    // For fewer members, loading ahead costs as much as it saves.
    private const int GroupCountMin = 4;

    /// <summary>Commands on a member or field, their second argument.</summary>
    public static void Member(Execution execution) =>
        Lookahead.Members(execution.Keys, execution.Upcoming, member: 2);

    /// <summary>Commands that need place or score of a member of a sorted set, their second
    /// argument.</summary>
    public static void ScoredMember(Execution execution) =>
        Lookahead.ScoredMembers(execution.Keys, execution.Upcoming, new ScoredArguments(Member: 2));

    /// <summary>ZADD with a score and a member.</summary>
    public static void NewScore(Execution execution) =>
        Lookahead.ScoredMembers(execution.Keys, execution.Upcoming, new ScoredArguments(Member: 3, Score: 2));

    /// <summary>ZINCRBY.</summary>
    public static void Increment(Execution execution) =>
        Lookahead.ScoredMembers(execution.Keys, execution.Upcoming,
            new ScoredArguments(Member: 3, Score: 2, IsIncrement: true));

    /// <summary>ZPOPMIN.</summary>
    public static void Lowest(Execution execution) =>
        Lookahead.EdgeMembers(execution.Keys, execution.Upcoming, isHighest: false);

    /// <summary>ZPOPMAX.</summary>
    public static void Highest(Execution execution) =>
        Lookahead.EdgeMembers(execution.Keys, execution.Upcoming, isHighest: true);

    /// <summary>SPOP and SRANDMEMBER.</summary>
    public static void RandomMember(Execution execution) =>
        Lookahead.RandomMembers(execution.Keys, execution.Upcoming, execution.Random);

    /// <summary>For a command on many members of the collection at its first argument: begins to load some of
    /// them, if the collection is big.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">The argument that is the next member.</param>
    /// <param name="step">From member to member.</param>
    /// <returns>The member to ask for the next ones at.</returns>
    public static int LoadAhead(this Execution execution, int index, int step = 1)
    {
        Debug.Assert(index > 1 && step > 0, "members follow the key");
        if (execution.ArgumentCount - index >= GroupCountMin * step)
            Lookahead.Members(execution.Keys, execution.Arguments.Skip(index), execution.Key(1), step);
        return index + (Lookahead.CountMax * step);
    }

    /// <summary>As <see cref="LoadAhead"/>, of members of a sorted set, whose places in the order are wanted,
    /// too.</summary>
    public static int LoadPlacesAhead(this Execution execution, int index)
    {
        if (execution.ArgumentCount - index >= GroupCountMin)
            Lookahead.ScoredMembers(execution.Keys, execution.Arguments.Skip(index), execution.Key(1));
        return index + Lookahead.CountMax;
    }
}
