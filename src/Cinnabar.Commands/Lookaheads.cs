using Cinnabar.Keyspace;

namespace Cinnabar.Commands;

/// <summary>
/// What begins to load the memory of commands on one key before the first of them runs; a spec names it as
/// its command's lookahead. It changes nothing and replies nothing.
/// </summary>
public static class Lookaheads
{
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
}
