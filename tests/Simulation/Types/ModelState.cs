using System;
using System.Collections.Immutable;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>The model's state at a moment.</summary>
/// <param name="Keys">The keys, those included that are past their deadline.</param>
/// <param name="Waits">The waits, in the order in which they began.</param>
/// <param name="Era">Time: what has a deadline has it between two eras.</param>
internal sealed record ModelState(
    ImmutableDictionary<Place, Entry> Keys, ImmutableList<Wait> Waits, int Era)
{
    /// <summary>The watches by client.</summary>
    public ImmutableSortedDictionary<int, Watching> Watches { get; init; } =
        ImmutableSortedDictionary<int, Watching>.Empty;

    /// <summary>Killed clients, whose commands no longer have an effect.</summary>
    public ImmutableSortedSet<int> Killed { get; init; } = [];

    /// <summary>Nothing.</summary>
    public static ModelState Empty { get; } = new(ImmutableDictionary<Place, Entry>.Empty, [], 0);

    /// <summary>Equal for states that are equal, and (but for one chance in 2^64) for no others.</summary>
    public string Digest
    {
        get
        {
            ulong keys = 0;
            // Name and value are digested together: separate sums would not say which key has which value.
            foreach ((Place place, Entry entry) in Keys)
                keys += Content.DigestOf($"{place.Database}:{place.Key}={entry.Digest}");
            string waits = string.Join(' ', Waits.Select(static one => $"{one.Peer}{one.Meaning}"));
            string watches = string.Join(
                ' ', Watches.Select(static one => $"{one.Key} {one.Value.Describe()}"));
            return string.Create(CultureInfo.InvariantCulture,
                $"{keys:x} {Era} {waits}; {watches}; {string.Join(' ', Killed)}");
        }
    }

    /// <summary>The state without the facts about clients that are gone for good.</summary>
    public ModelState Without(Func<int, bool> isGone) => this with
    {
        Watches = Watches.RemoveRange(Watches.Keys.Where(isGone)),
        Killed = Killed.Except(Killed.Where(isGone)),
    };

    /// <summary>The wait of a client, if it waits.</summary>
    public Wait? WaitOf(int peer) => Waits.Find(one => one.Peer == peer);

    /// <inheritdoc/>
    public override string ToString()
    {
        var text = new StringBuilder($"era {Era}");
        foreach ((Place place, Entry entry) in Keys.OrderBy(static one => (one.Key.Database, one.Key.Key)))
        {
            text.Append(CultureInfo.InvariantCulture, $"\n  {place.Database}:{place.Key} ");
            text.Append(CultureInfo.InvariantCulture, $"{entry.Content.Kind} ");
            text.Append(Request.Short(entry.Content.Describe()));
            text.Append(CultureInfo.InvariantCulture, $" until {entry.Deadline}");
        }

        foreach (Wait wait in Waits)
        {
            text.Append(CultureInfo.InvariantCulture,
                $"\n  {wait.Peer} waits in {wait.Database} for {string.Join(' ', wait.Keys)} {wait.Meaning}");
        }

        foreach ((int peer, Watching watching) in Watches)
            text.Append(CultureInfo.InvariantCulture, $"\n  {peer} watches {watching.Describe()}");
        return text.ToString();
    }
}
