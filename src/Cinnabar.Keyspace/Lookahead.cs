// A pipeline often has many commands on members of one big collection. Executed one by one, each waits for
// its own three or four misses; here the memory of all is prefetched first (HashAhead), so that the misses
// overlap. The engine calls this, through the commands' lookaheads, when it has the stripe's lock for the
// first of them. Small collections lie in their entry, which is being loaded already.
//
// Nothing here has an effect but on the cache and on what is noted: a hash in an argument, and the place of
// its member in the execution's Foresight.
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace;

// SAFETY: the execution holds the stripe's lock: neither the entry nor the tree changes meanwhile.
/// <summary>Begins to load what commands on one key will read. The commands name the key as their first
/// argument.</summary>
public static unsafe class Lookahead
{
    /// <summary>The most commands that are looked at together.</summary>
    public const int CountMax = Foresight.CountMax;

    /// <summary>Commands on one member each of a set, a hash or a sorted set.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="commands">Their arguments.</param>
    /// <param name="member">Which argument is the member.</param>
    public static void Members(KeyspaceAccess keys, ReadOnlySpan<ArgumentList> commands, int member)
    {
        Debug.Assert(commands.Length <= CountMax, "too many commands at once");
        byte* entry = EntryOf(keys, commands);
        if (entry != null && EntryValue.TryPages(entry, out HashPages pages))
            Load(keys, pages, commands, member);
    }

    /// <summary>One command on several members of a set, a hash or a sorted set.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="arguments">Its arguments from the first member on; no more than
    /// <see cref="CountMax"/> members are looked at.</param>
    /// <param name="key">Its key.</param>
    /// <param name="step">From member to member.</param>
    [SkipLocalsInit]
    public static void Members(KeyspaceAccess keys, ArgumentList arguments, in Key key, int step)
    {
        byte* entry = keys.Locate(in key);
        if (entry == null || !EntryValue.TryPages(entry, out HashPages pages))
            return;
        ArgumentList* members = stackalloc ArgumentList[CountMax];
        int count = Part(arguments, step, members);
        Load(keys, pages, new ReadOnlySpan<ArgumentList>(members, count), 0);
    }

    /// <summary>One command on several members of a sorted set, whose places in the order are wanted,
    /// too.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="arguments">Its arguments from the first member on, all of which are members.</param>
    /// <param name="key">Its key.</param>
    [SkipLocalsInit]
    public static void ScoredMembers(KeyspaceAccess keys, ArgumentList arguments, in Key key)
    {
        byte* entry = keys.Locate(in key);
        if (entry == null || KeyEntry.Encoding(entry) != KeyEncoding.SkipList)
            return;
        ArgumentList* members = stackalloc ArgumentList[CountMax];
        int count = Part(arguments, 1, members);
        LoadScored(keys, entry, new ReadOnlySpan<ArgumentList>(members, count), new ScoredArguments(0));
    }

    // The lists that begin with every step-th argument.
    private static int Part(ArgumentList arguments, int step, ArgumentList* parts)
    {
        int count = Math.Min((arguments.Count + step - 1) / step, CountMax);
        for (int at = 0; at < count; at++)
            parts[at] = arguments.Skip(at * step);
        return count;
    }

    /// <summary>Commands that give a member of a sorted set a score, or use the one that it has.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="commands">Their arguments.</param>
    /// <param name="indexes">Which arguments are the member and its new score.</param>
    public static void ScoredMembers(
        KeyspaceAccess keys, ReadOnlySpan<ArgumentList> commands, ScoredArguments indexes)
    {
        byte* entry = EntryOf(keys, commands);
        if (entry != null && KeyEntry.Encoding(entry) == KeyEncoding.SkipList)
            LoadScored(keys, entry, commands, indexes);
    }

    [SkipLocalsInit]
    private static void LoadScored(
        KeyspaceAccess keys, byte* entry, ReadOnlySpan<ArgumentList> commands, ScoredArguments indexes)
    {
        SortedSetTree tree = EntryValue.SortedSet(KeyEntry.Value(entry));
        Span<ulong> hashes = stackalloc ulong[CountMax];
        Span<MemberNote> notes = keys.Foresight.Members;
        tree.LoadAhead(hashes[..Hash(keys, commands, indexes.Member, hashes)], notes);
        LoadPlaces(in tree, commands, keys.Foresight, indexes);
    }

    // The new places first: the records that have the old ones are still being loaded.
    [SkipLocalsInit]
    private static void LoadPlaces(in SortedSetTree tree, ReadOnlySpan<ArgumentList> commands,
        Foresight foresight, ScoredArguments indexes)
    {
        Span<OrderPlace> places = stackalloc OrderPlace[SortedSetTree.AheadCountMax];
        int member = indexes.Member;
        int count = 0;
        int number = 0;
        foreach (ref readonly ArgumentList command in commands)
        {
            if (command.Count <= member)
                continue;
            number++;
            if (indexes is { Score: > 0, IsIncrement: false }
                && RedisNumber.TryParseDouble(command[indexes.Score].Span, out double newScore))
                places[count++] = PlaceOf(in command[member], newScore, foresight.NewPlace(number));
        }

        number = 0;
        foreach (ref readonly ArgumentList command in commands)
        {
            if (command.Count <= member)
                continue;
            ref MemberNote note = ref foresight.Members[number++];
            if (!tree.TryReadScore(in note, command[member].Span, out double oldScore))
                continue;
            places[count++] = PlaceOf(in command[member], oldScore, foresight.OldPlace(number));
            if (indexes.IsIncrement
                && RedisNumber.TryParseDouble(command[indexes.Score].Span, out double more)
                && !double.IsNaN(oldScore + more))
                places[count++] = PlaceOf(in command[member], oldScore + more, foresight.NewPlace(number));
        }

        tree.LoadPlacesAhead(places[..count]);
    }

    private static OrderPlace PlaceOf(in Argument member, double score, OrderNote* note) =>
        new(score, member.Data, member.Length, note);

    /// <summary>Commands that take the lowest or highest member of a sorted set.</summary>
    public static void EdgeMembers(KeyspaceAccess keys, ReadOnlySpan<ArgumentList> commands, bool isHighest)
    {
        byte* entry = EntryOf(keys, commands);
        if (entry == null || KeyEntry.Encoding(entry) != KeyEncoding.SkipList)
            return;
        SortedSetTree tree = EntryValue.SortedSet(KeyEntry.Value(entry));
        Span<MemberNote> notes = keys.Foresight.Members[..commands.Length];
        tree.LoadEdgeAhead(keys.Keyspace.Trees, isHighest, notes);
        for (int at = 0; at < commands.Length; at++)
            Foresight.SetNumber(ref commands[at][1], at + 1);
    }

    /// <summary>Commands that take a random member of a set.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="commands">Their arguments.</param>
    /// <param name="random">A copy of the generator that they will use.</param>
    public static void RandomMembers(
        KeyspaceAccess keys, ReadOnlySpan<ArgumentList> commands, RandomSource random)
    {
        byte* entry = EntryOf(keys, commands);
        if (entry == null || KeyEntry.Type(entry) != KeyType.Set
            || !EntryValue.TryPages(entry, out HashPages pages))
            return;
        Span<long> ranks = stackalloc long[CountMax];
        int count = (int)Math.Min(pages.Count, commands.Length);
        for (int at = 0; at < count; at++)
            ranks[at] = (long)random.NextBelow((ulong)(pages.Count - at));
        pages.LoadAheadAt(ranks[..count]);
    }

    private static byte* EntryOf(KeyspaceAccess keys, ReadOnlySpan<ArgumentList> commands) =>
        keys.Locate(new Key(in commands[0][1]));

    [SkipLocalsInit]
    private static void Load(
        KeyspaceAccess keys, HashPages pages, ReadOnlySpan<ArgumentList> commands, int member)
    {
        Span<ulong> hashes = stackalloc ulong[CountMax];
        pages.LoadAhead(hashes[..Hash(keys, commands, member, hashes)], keys.Foresight.Members);
    }

    // Notes the hashes of the commands that have such an argument, and numbers them; returns their number.
    private static int Hash(
        KeyspaceAccess keys, ReadOnlySpan<ArgumentList> commands, int member, Span<ulong> hashes)
    {
        int count = 0;
        foreach (ref readonly ArgumentList command in commands)
        {
            if (command.Count <= member)
                continue;
            ref Argument argument = ref command[member];
            argument.Hash = keys.Keyspace.Hash(argument.Span);
            hashes[count++] = argument.Hash;
            Foresight.SetNumber(ref argument, count);
        }

        return count;
    }
}
