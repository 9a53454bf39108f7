// Changes of a source that make no keyspace events: FLUSHALL, FLUSHDB and SWAPDB change many keys at once,
// FUNCTION changes none. INFO commandstats counts how often each was called; any change of a count, also to
// less (CONFIG RESETSTAT), means that something may have happened.

using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Notices what a source does without events.</summary>
/// <param name="source">The source.</param>
internal sealed class SourceChanges(SourceLink source)
{
    private static readonly string[] s_ofKeys =
        ["cmdstat_flushall:", "cmdstat_flushdb:", "cmdstat_swapdb:"];

    private static readonly string[] s_ofFunctions = ["cmdstat_function"];

    private readonly SourceLink _source = source;
    private string _keys = "";
    private string _functions = "";

    /// <summary>Whether all keys are to be looked at again.</summary>
    public bool MustScan { get; private set; }

    /// <summary>Whether the functions are to be copied again.</summary>
    public bool MustCopyFunctions { get; private set; }

    /// <summary>Everything is copied from now on.</summary>
    public void Begin()
    {
        (_keys, _functions) = Read();
        (MustScan, MustCopyFunctions) = (false, false);
    }

    /// <summary>Looks whether something has happened.</summary>
    public void Look()
    {
        (string keys, string functions) = Read();
        MustScan |= keys != _keys;
        MustCopyFunctions = functions != _functions;
        (_keys, _functions) = (keys, functions);
    }

    private (string Keys, string Functions) Read()
    {
        Reply reply = _source.Call("INFO", "commandstats");
        return reply.IsError ? ("", "")
            : (CountsOf(reply.Text, s_ofKeys), CountsOf(reply.Text, s_ofFunctions));
    }

    // The names and counts of calls: cmdstat_flushall:calls=1,usec=…
    private static string CountsOf(string text, string[] names)
    {
        var counts = new StringBuilder();
        foreach (string line in text.Split('\n'))
        {
            if (!line.StartsWith("cmdstat_function|dump", StringComparison.Ordinal)
                && Array.Exists(names, name => line.StartsWith(name, StringComparison.Ordinal)))
                counts.Append(line.AsSpan(0, Math.Max(0, line.IndexOf(',')))).Append(' ');
        }

        return counts.ToString();
    }
}
