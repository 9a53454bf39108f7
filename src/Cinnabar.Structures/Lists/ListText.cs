using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Structures.Lists;

/// <summary>What elements of a list are compared with, parsed once.</summary>
public readonly ref struct ListText
{
    private readonly bool _isInteger;
    private readonly long _integer;

    /// <summary>Any text.</summary>
    public ListText(ReadOnlySpan<byte> text)
    {
        Text = text;
        _isInteger = RedisNumber.TryParseInt64(text, out _integer);
    }

    /// <summary>The text.</summary>
    public ReadOnlySpan<byte> Text { get; }

    /// <summary>Whether an element is this text.</summary>
    public bool Equals(in ListpackValue value) =>
        value.IsInteger ? _isInteger && value.Integer == _integer : value.Text.SequenceEqual(Text);
}
