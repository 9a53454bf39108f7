namespace Cinnabar.Persistence.Journal.Rewriting;

/// <summary>The elements of a collection as commands of at most 64 elements each, as Redis writes
/// them.</summary>
/// <param name="output">Takes the commands.</param>
/// <param name="name">The command that adds elements.</param>
/// <param name="key">The key.</param>
/// <param name="count">How many elements there are.</param>
/// <param name="width">Arguments of an element.</param>
internal ref struct CommandChunks(
    CommandOutput output, ReadOnlySpan<byte> name, ReadOnlySpan<byte> key, long count, int width)
{
    /// <summary>The most elements of a command.</summary>
    internal const int ElementsMax = 64;

    private readonly CommandOutput _output = output;
    private readonly ReadOnlySpan<byte> _name = name;
    private readonly ReadOnlySpan<byte> _key = key;
    private readonly int _width = width;
    private long _leftCount = count;
    private long _chunkCount;

    /// <summary>Begins an element, whose arguments follow.</summary>
    internal void BeginElement()
    {
        Debug.Assert(_leftCount > 0, "more elements than were announced");
        if (_chunkCount == 0)
        {
            _chunkCount = Math.Min(_leftCount, ElementsMax);
            _output.Begin(2 + ((int)_chunkCount * _width));
            _output.Write(_name);
            _output.Write(_key);
        }

        _chunkCount--;
        _leftCount--;
    }
}
