// The commands of a unit of which some are for the file only, others for replicas only (redis.set_repl):
// where each begins in the unit's text, and whose it is. Each audience gets a text of its own, whole with
// SELECT, MULTI and EXEC, since the two differ from there on.

using System.Collections.Generic;
using Cinnabar.Resp;

namespace Cinnabar.Keyspace.Journaling;

/// <summary>Divides the text of a unit.</summary>
internal sealed class DividedText
{
    private readonly List<(long Start, JournalAudience Audience)> _parts = [(0, JournalAudience.All)];

    /// <summary>What comes from an offset on is for an audience, up to the next part.</summary>
    public void Begin(long start, JournalAudience audience)
    {
        Debug.Assert(start >= _parts[^1].Start, "parts have an order");
        _parts.Add((start, audience));
    }

    /// <summary>The text for an audience.</summary>
    /// <param name="unit">The text of the unit.</param>
    /// <param name="database">The database of its first command.</param>
    /// <param name="audience">File or replicas.</param>
    public byte[] For(ReadOnlySpan<byte> unit, int database, JournalAudience audience)
    {
        var text = new List<byte>();
        text.AddRange(CommandText.Of(["SELECT", database.ToString(CultureInfo.InvariantCulture)]));
        text.AddRange(CommandText.Of(["MULTI"]));
        for (int index = 0; index < _parts.Count; index++)
        {
            (long start, JournalAudience whose) = _parts[index];
            long end = index + 1 < _parts.Count ? _parts[index + 1].Start : unit.Length;
            if ((whose & audience) != 0)
                text.AddRange(unit[(int)start..(int)end]);
        }

        text.AddRange(CommandText.Of(["EXEC"]));
        return [.. text];
    }
}
