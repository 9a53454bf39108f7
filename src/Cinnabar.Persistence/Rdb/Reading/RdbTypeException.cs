namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>A byte where a type or an opcode must be is neither.</summary>
/// <param name="offset">Where it is.</param>
/// <param name="type">The byte.</param>
public sealed class RdbTypeException(long offset, byte type)
    : RdbFormatException(offset, $"Unknown RDB encoding type {type}")
{
    /// <summary>The byte.</summary>
    public byte Type { get; } = type;
}
