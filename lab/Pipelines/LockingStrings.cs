using System.Collections.Concurrent;
using System.Collections.Generic;

namespace Cinnabar.Lab.Pipelines;

/// <summary>The framework's dictionary: readers take no lock, writers one of several.</summary>
internal sealed class LockingStrings : IStrings
{
    private readonly ConcurrentDictionary<string, string> _entries = new();

    public string? Find(string key) => _entries.GetValueOrDefault(key);

    public void Set(string key, string value) => _entries[key] = value;
}
