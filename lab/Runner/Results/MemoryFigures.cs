namespace Cinnabar.Lab.Runner.Results;

/// <summary>A station's resident memory, in bytes, at four points of a run.</summary>
internal sealed record MemoryFigures
{
    /// <summary>How many keys were set.</summary>
    public long KeyCount { get; init; }

    /// <summary>Before the first command.</summary>
    public long EmptyBytes { get; init; }

    /// <summary>When every key was set once.</summary>
    public long FilledBytes { get; init; }

    /// <summary>After the load: what it is, as it is.</summary>
    public long LoadedBytes { get; init; }

    /// <summary>After a forced collection, or after the command that gives back reserves; null where there is
    /// neither.</summary>
    public long? CollectedBytes { get; init; }
}
