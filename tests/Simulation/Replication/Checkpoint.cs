using System.Collections.Generic;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>All data of a master at one offset of its stream.</summary>
/// <param name="stream">Which of its streams.</param>
/// <param name="offset">The offset.</param>
/// <param name="file">The data as an RDB file.</param>
internal sealed class Checkpoint(int stream, long offset, byte[] file)
{
    private List<string>? _lines;

    /// <summary>Which of the master's streams.</summary>
    public int Stream { get; } = stream;

    /// <summary>The offset.</summary>
    public long Offset { get; } = offset;

    /// <summary>What a fresh server makes of the file.</summary>
    public List<string> Lines => _lines ??= LoadedData.Of(file);
}
