using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A value of the model: plain collections that never change, so that the search may go back to any
/// state.</summary>
internal abstract record Content
{
    private readonly Lazy<ulong> _digest;

    private Content() => _digest = new Lazy<ulong>(() => DigestOf(Describe()));

    // What a copy holds is something else.
    protected Content(Content _) => _digest = new Lazy<ulong>(() => DigestOf(Describe()));

    /// <summary>The reply of TYPE.</summary>
    public abstract string Kind { get; }

    /// <summary>Whether its key goes with what it held.</summary>
    public virtual bool IsEmpty => false;

    /// <summary>A number that distinguishes it from others.</summary>
    public ulong Digest => _digest.Value;

    /// <summary>All that it holds.</summary>
    public abstract string Describe();

    /// <summary>FNV-1a, with its bits mixed (as SplitMix64 does it): otherwise sums of digests of similar
    /// texts would sometimes be equal.</summary>
    public static ulong DigestOf(string text)
    {
        ulong digest = 14695981039346656037;
        foreach (char one in text)
            digest = (digest ^ one) * 1099511628211;
        digest = (digest ^ (digest >> 30)) * 0xBF58476D1CE4E5B9;
        digest = (digest ^ (digest >> 27)) * 0x94D049BB133111EB;
        return digest ^ (digest >> 31);
    }

    /// <summary>A string.</summary>
    internal sealed record Text(string Value) : Content
    {
        public override string Kind => "string";

        public override string Describe() => Value;
    }

    /// <summary>A list.</summary>
    internal sealed record Elements(ImmutableList<string> Items) : Content
    {
        public static Elements None { get; } = new([]);

        public override string Kind => "list";

        public override bool IsEmpty => Items.IsEmpty;

        public override string Describe() => string.Join(' ', Items);
    }

    /// <summary>A set.</summary>
    internal sealed record Members(ImmutableSortedSet<string> Items) : Content
    {
        public static Members None { get; } = new(ImmutableSortedSet.Create<string>(StringComparer.Ordinal));

        public override string Kind => "set";

        public override bool IsEmpty => Items.IsEmpty;

        public override string Describe() => string.Join(' ', Items);
    }

    /// <summary>A sorted set.</summary>
    internal sealed record Scores(ImmutableSortedDictionary<string, long> Items) : Content
    {
        public static Scores None { get; } =
            new(ImmutableSortedDictionary.Create<string, long>(StringComparer.Ordinal));

        public override string Kind => "zset";

        public override bool IsEmpty => Items.IsEmpty;

        /// <summary>Members in their order.</summary>
        public IEnumerable<KeyValuePair<string, long>> Ordered =>
            Items.OrderBy(static one => one.Value).ThenBy(static one => one.Key, StringComparer.Ordinal);

        public override string Describe() =>
            string.Join(' ', Items.Select(static one => $"{one.Key}={one.Value}"));
    }

    /// <summary>A hash.</summary>
    internal sealed record Fields(ImmutableSortedDictionary<string, Field> Items) : Content
    {
        public static Fields None { get; } =
            new(ImmutableSortedDictionary.Create<string, Field>(StringComparer.Ordinal));

        public override string Kind => "hash";

        public override bool IsEmpty => Items.IsEmpty;

        /// <summary>It without the fields that are past their deadline.</summary>
        public Fields At(int era)
        {
            string[] past = [.. Items.Where(one => one.Value.Deadline < era).Select(static one => one.Key)];
            return past.Length == 0 ? this : new Fields(Items.RemoveRange(past));
        }

        public override string Describe() =>
            string.Join(' ', Items.Select(static one => $"{one.Key}={one.Value}"));
    }

    /// <summary>A field's value.</summary>
    /// <param name="Text">The value.</param>
    /// <param name="Deadline">The last era that it is there in; null: for ever.</param>
    internal sealed record Field(string Text, int? Deadline);

    /// <summary>A stream whose IDs all begin with 0: the second numbers are enough.</summary>
    internal sealed record Stream(
        ImmutableSortedDictionary<long, string> Entries, long Last,
        ImmutableSortedDictionary<string, Group> Groups) : Content
    {
        public static Stream None { get; } = new(ImmutableSortedDictionary<long, string>.Empty, 0,
            ImmutableSortedDictionary.Create<string, Group>(StringComparer.Ordinal));

        public override string Kind => "stream";

        public override string Describe() =>
            $"{string.Join(' ', Entries)} last {Last} "
            + string.Join(' ', Groups.Select(static one => $"{one.Key}: {one.Value.Describe()}"));
    }

    /// <summary>A consumer group.</summary>
    /// <param name="Delivered">The last entry that was delivered.</param>
    /// <param name="Pending">Consumers by the entries that they have not acknowledged.</param>
    internal sealed record Group(long Delivered, ImmutableSortedDictionary<long, string> Pending)
    {
        /// <summary>All that it holds.</summary>
        public string Describe() => $"{Delivered} {string.Join(' ', Pending)}";
    }
}
