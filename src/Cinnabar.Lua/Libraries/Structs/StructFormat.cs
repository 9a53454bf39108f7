using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Structs;

/// <summary>A format of the library <c>struct</c>, option after option. The text ends at its first zero
/// byte.</summary>
/// <remarks>
/// Source: the documentation of "struct" (R. Ierusalimschy). Little-endian and without alignment until the
/// format says otherwise.
/// </remarks>
internal ref struct StructFormat
{
    private const int IntegerSizeMax = 32;
    private const int NativeAlignment = 8;

    private readonly LuaCall _call;
    private readonly ReadOnlySpan<byte> _text;
    private int _at;
    private int _alignment = 1;

    internal StructFormat(LuaCall call, LuaString text)
    {
        _call = call;
        int end = text.Bytes.IndexOf((byte)0);
        _text = end < 0 ? text.Bytes : text.Bytes[..end];
    }

    /// <summary>Whether integers and floats are stored with the highest byte first.</summary>
    internal bool IsBigEndian { get; private set; }

    /// <summary>The letter of the option that was read last.</summary>
    internal byte Option { get; private set; }

    /// <summary>Bytes of the option's value; 0 where the value says it, and for options without
    /// one.</summary>
    internal int Size { get; private set; }

    /// <summary>Whether the option has a value.</summary>
    internal readonly bool IsControl => Option switch
    {
        (byte)'b' or (byte)'B' or (byte)'h' or (byte)'H' or (byte)'l' or (byte)'L' or (byte)'T' or (byte)'f'
            or (byte)'d' or (byte)'x' or (byte)'c' or (byte)'i' or (byte)'I' or (byte)'s' => false,
        _ => true,
    };

    /// <summary>Reads the next option; false at the end.</summary>
    internal bool Read()
    {
        if (_at == _text.Length) return false;
        Option = _text[_at++];
        Size = Option switch
        {
            (byte)'b' or (byte)'B' or (byte)'x' => 1,
            (byte)'h' or (byte)'H' => 2,
            (byte)'f' => 4,
            (byte)'l' or (byte)'L' or (byte)'T' or (byte)'d' => 8,
            (byte)'c' => ReadNumber(1),
            (byte)'i' or (byte)'I' => ReadIntegerSize(),
            _ => 0,
        };
        return true;
    }

    /// <summary>Bytes to skip before a value at a place, so that it is aligned.</summary>
    internal readonly int Padding(long place)
    {
        if (Size == 0 || Option == 'c') return 0;
        int size = Math.Min(Size, _alignment);
        return (int)(size - (place & (size - 1))) & (size - 1);
    }

    /// <summary>Obeys an option that has no value.</summary>
    internal void Control()
    {
        switch (Option)
        {
            case (byte)' ':
                return;
            case (byte)'<':
                IsBigEndian = false;
                return;
            case (byte)'>':
                IsBigEndian = true;
                return;
            case (byte)'!':
                _alignment = ReadNumber(NativeAlignment);
                if (!BitOperations.IsPow2(_alignment))
                    throw _call.Error($"alignment {_alignment} is not a power of 2");
                return;
            default:
                throw _call.ArgumentError(0, $"invalid format option '{(char)Option}'");
        }
    }

    private int ReadIntegerSize()
    {
        int size = ReadNumber(sizeof(int));
        if (size > IntegerSizeMax)
            throw _call.Error($"integral size {size} is larger than limit of {IntegerSizeMax}");
        return size;
    }

    private int ReadNumber(int other)
    {
        if (_at == _text.Length || !char.IsAsciiDigit((char)_text[_at])) return other;
        long number = 0;
        for (; _at < _text.Length && char.IsAsciiDigit((char)_text[_at]); _at++)
        {
            number = number * 10 + (_text[_at] - '0');
            if (number > int.MaxValue) throw _call.Error("integral size overflow");
        }
        return (int)number;
    }
}
