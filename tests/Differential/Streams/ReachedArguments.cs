using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Which commands and options random streams have come to: those in calls that both servers took.
/// </summary>
/// <param name="docs">redis-server's COMMAND DOCS of what should be reached, by name; a subcommand's with its
/// container's and a bar.</param>
internal sealed class ReachedArguments(IReadOnlyDictionary<string, RespValue> docs)
{
    private readonly Dictionary<string, HashSet<string>> _words = [];
    private readonly Dictionary<string, HashSet<int>> _lengths = [];
    private readonly List<string[]> _queued = [];

    /// <summary>Notes a command that was sent to both; those of a transaction with its replies.</summary>
    public void Note(string[] words, RespValue theirs, RespValue ours)
    {
        if (theirs.Text == "QUEUED")
        {
            _queued.Add(words);
            return;
        }

        string name = words[0].ToLowerInvariant();
        if (name == "exec" && theirs.Items.Count == _queued.Count && ours.Items.Count == _queued.Count)
        {
            foreach ((int index, string[] command) in _queued.Index())
                NoteOne(command, theirs.Items[index], ours.Items[index]);
        }

        if (name is "exec" or "discard")
            _queued.Clear();
        else
            NoteOne(words, theirs, ours);
    }

    /// <summary>What has not been reached: commands, their tokens (commands that wait with BLOCK
    /// are compared in BlockingOracleTests), and those whose calls all had one length though there is
    /// something to leave out or to repeat.</summary>
    public List<string> Missing()
    {
        List<string> missing = [];
        foreach ((string name, RespValue command) in docs)
        {
            if (!_words.TryGetValue(name, out HashSet<string>? words))
            {
                missing.Add(name);
                continue;
            }

            RespValue[] arguments = [.. Arguments(command)];
            missing.AddRange(arguments.Select(static one => one["token"]?.Text ?? "")
                .Where(token => token is not ("" or "BLOCK") && !words.Contains(token.ToUpperInvariant()))
                .Select(token => $"{name} {token}"));
            if (_lengths[name].Count < 2 && arguments.Any(IsOfManyLengths))
                missing.Add($"{name} of another length");
        }

        return missing;
    }

    private void NoteOne(string[] words, RespValue theirs, RespValue ours)
    {
        string name = words[0].ToLowerInvariant();
        if (words.Length > 1 && !docs.ContainsKey(name))
            name = $"{name}|{words[1].ToLowerInvariant()}";
        if (theirs.Kind == '-' || ours.Kind == '-' || !docs.ContainsKey(name))
            return;
        if (_words.TryAdd(name, []))
            _lengths.Add(name, []);
        _words[name].UnionWith(words.Select(static word => word.ToUpperInvariant()));
        _lengths[name].Add(words.Length);
    }

    private static IEnumerable<RespValue> Arguments(RespValue node) => (node["arguments"]?.Items ?? [])
        .SelectMany(static one => Arguments(one).Prepend(one));

    private static bool IsOfManyLengths(RespValue argument) =>
        argument["flags"]?.Items.Any(static flag => flag.Text is "optional" or "multiple") ?? false;
}
