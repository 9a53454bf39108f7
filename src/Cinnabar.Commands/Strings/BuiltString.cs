using System;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Commands.Strings;

/// <summary>A string that has been built without its key (<see cref="StoreSteps"/>).</summary>
/// <param name="blocks">Where its memory comes from.</param>
/// <param name="value">The string, which is this object's.</param>
internal sealed class BuiltString(BlockSource blocks, BlockString value) : IDisposable
{
    private BlockString _value = value;

    /// <summary>Bytes in the string.</summary>
    public long Length => _value.Length;

    /// <summary>The bytes of a string of no more than 64 KiB.</summary>
    public ReadOnlySpan<byte> Bytes => _value.Length == 0 ? default : _value.SpanAt(0);

    /// <summary>Gives the string away.</summary>
    public BlockString Take()
    {
        BlockString value = _value;
        _value = default;
        return value;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_value.IsNull)
            _value.Release(blocks);
    }
}
