namespace Cinnabar.Lab.Pipelines;

/// <summary>A string as a key; the framework seeds its hash for each process.</summary>
internal readonly struct StringProbe(string key) : IProbe<string>
{
    public uint Hash => (uint)key.GetHashCode();

    public bool Matches(string other) => other == key;

    public string ToKey() => key;
}
