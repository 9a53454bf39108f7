using Cinnabar.Resp;

namespace Cinnabar.Structures.Listpacks;

/// <summary>
/// Something to be stored as an entry: it knows how many bytes that takes before they are written.
/// </summary>
public readonly ref struct ListpackElement
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly long _integer;
    private readonly bool _isInteger;

    /// <summary>A text; stored as an integer if it is one's canonical form.</summary>
    /// <param name="text">Must not lie in the listpack that it is stored into.</param>
    public ListpackElement(ReadOnlySpan<byte> text)
    {
        // Most texts begin with a letter, behind the digits and the minus.
        if (!text.IsEmpty && text[0] <= (byte)'9' && RedisNumber.TryParseInt64(text, out _integer))
        {
            _isInteger = true;
            Size = ListpackFormat.IntegerSize(_integer) + 1;
            return;
        }
        _text = text;
        Size = ListpackFormat.EntrySize(text.Length);
    }

    /// <summary>An integer.</summary>
    public ListpackElement(long integer)
    {
        _integer = integer;
        _isInteger = true;
        Size = ListpackFormat.IntegerSize(integer) + 1;
    }

    /// <summary>The value of an entry of another listpack.</summary>
    public static ListpackElement Of(scoped in ListpackValue value) =>
        value.IsInteger ? new ListpackElement(value.Integer) : new ListpackElement(value.Text);

    /// <summary>Bytes of the entry.</summary>
    public long Size { get; }

    /// <summary>The text; empty for what is stored as an integer.</summary>
    internal ReadOnlySpan<byte> Text => _text;

    /// <summary>Writes the entry: <see cref="Size"/> bytes.</summary>
    internal unsafe void Write(byte* entry)
    {
        // SAFETY: the caller made room for Size bytes.
        if (_isInteger)
            ListpackFormat.WriteInteger(entry, _integer, (int)Size - 1);
        else
            ListpackFormat.WriteText(entry, _text);
    }
}
