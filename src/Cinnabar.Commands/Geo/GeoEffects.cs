using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Records what a search has stored, in place of the search.</summary>
internal static class GeoEffects
{
    // As in a base of commands.
    private const int MembersMax = 64;

    /// <summary>Whether the search is recorded and has what the version does not know: BYPOLYGON is Valkey's,
    /// so no Redis knows it, and before 7.0 units are lower case.</summary>
    internal static bool MustReplace(Execution execution, in GeoQuery query)
    {
        if (!execution.Effects.IsRecording)
            return false;
        return query.Kind == GeoShapeKind.Polygon
            || (execution.Effects.Level < CommandLevel.Redis70 && HasUpperCaseUnit(execution));
    }

    /// <summary>Records the set that a key has got, in place of whatever it had.</summary>
    internal static void Stored(Execution execution, in Key target)
    {
        Effects effects = execution.Effects;
        effects.Begin("DEL"u8).End(target.Span);
        Span<byte> score = stackalloc byte[RedisNumber.DoubleBytesMax];
        SortedSetWalk walk = execution.SortedSets.View(execution.Keys.Peek(in target)).Walk();
        bool isMember = walk.MoveNext();
        Debug.Assert(isMember, "an empty set has no key");
        while (isMember)
        {
            effects.Begin("ZADD"u8).With(target.Span);
            for (int left = MembersMax; isMember && left > 0; left--)
            {
                effects.With(score[..RedisNumber.FormatDouble(walk.Score, score)]).With(walk.Member);
                isMember = walk.MoveNext();
            }

            effects.End();
        }
    }

    // A member that looks like a unit is one too many, which does no harm.
    private static bool HasUpperCaseUnit(Execution execution)
    {
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            ReadOnlySpan<byte> word = execution.Argument(index);
            bool isUnit = execution.Is(index, "m"u8) || execution.Is(index, "km"u8)
                || execution.Is(index, "ft"u8) || execution.Is(index, "mi"u8);
            if (isUnit && word.ContainsAnyInRange((byte)'A', (byte)'Z'))
                return true;
        }

        return false;
    }
}
