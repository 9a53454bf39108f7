namespace Cinnabar.Lab.Pipelines;

/// <summary>Strings in the lock-free dictionary.</summary>
internal sealed class LockFreeStrings : IStrings
{
    private readonly LockFreeDictionary<string, string> _entries = new();

    public string? Find(string key) =>
        _entries.TryGet(new StringProbe(key), out string? value) ? value : null;

    public void Set(string key, string value) => _entries.Set(new StringProbe(key), value);
}
