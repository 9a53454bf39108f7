using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Tidy;

/// <summary>The violations that are accepted, with the reason for each. The list may only shrink: an
/// exception that no longer excuses anything is a failure.</summary>
internal sealed class ExceptionList
{
    private const string FilePath = "tools/Tidy/exceptions.txt";
    private readonly Dictionary<string, string> _reasons = [];
    private readonly HashSet<string> _used = [];

    /// <summary>Reads the list of a repository. A line is <c>rule path[:subject] # reason</c>.</summary>
    /// <exception cref="FormatException">A line gives no reason, or occurs twice.</exception>
    public ExceptionList(string root)
    {
        foreach (string line in File.ReadAllLines(Path.Combine(root, FilePath)))
        {
            if (line.Length == 0 || line.StartsWith('#')) continue;
            string[] parts = line.Split(" # ", 2, StringSplitOptions.TrimEntries);
            if (parts.Length != 2 || parts[1].Length == 0)
                throw new FormatException($"{FilePath}: no reason given: {line}");
            if (!_reasons.TryAdd(parts[0], parts[1])) throw new FormatException($"{FilePath}: twice: {line}");
        }
    }

    /// <summary>Whether the violation is accepted; remembers that the exception was needed.</summary>
    public bool Excuses(Violation violation)
    {
        if (!_reasons.ContainsKey(violation.Key)) return false;
        _used.Add(violation.Key);
        return true;
    }

    /// <summary>The exceptions that excused nothing, as violations.</summary>
    public IEnumerable<Violation> Unneeded => _reasons.Keys.Where(key => !_used.Contains(key))
        .Select(key => new Violation("exceptions", FilePath, key, "no longer needed: take it out"));
}
