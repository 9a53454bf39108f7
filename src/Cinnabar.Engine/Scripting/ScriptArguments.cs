using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>The arguments of a command that a script calls, in native memory as commands read them.</summary>
// SAFETY: the bytes stay in place until the next command of the script; their number is known before they are
// copied.
internal sealed unsafe class ScriptArguments : IDisposable
{
    // A double has each integer up to here.
    private const long IntegerMax = 1L << 53;
    private const int KeptCapacityMax = 64 << 10;

    private readonly ArgumentBuffer _items = new();
    private byte* _bytes;
    private long _capacity;

    /// <summary>The arguments.</summary>
    public ArgumentList List => new(_items.Items, _items.Count);

    /// <summary>Bytes of the arguments, at most.</summary>
    public long Size { get; private set; }

    /// <summary>Takes the arguments of a call over.</summary>
    /// <returns>False where one is neither a string nor a number.</returns>
    public bool TryTake(LuaCall call)
    {
        ReadOnlySpan<LuaValue> values = call.Arguments;
        long size = 0;
        foreach (ref readonly LuaValue value in values)
        {
            if (value.AsString is { } text)
                size += text.Length;
            else if (value.IsNumber)
                size += RedisNumber.DoubleBytesMax;
            else
                return false;
        }

        Size = size;
        Reserve(size);
        _items.Clear();
        _items.EnsureCapacity(values.Length);
        Argument* item = _items.Items;
        byte* place = _bytes;
        foreach (ref readonly LuaValue value in values)
        {
            int length = Write(in value, place);
            *item++ = new Argument { Data = place, Length = length };
            place += length;
        }

        _items.Count = values.Length;
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_bytes);
        _bytes = null;
        _capacity = 0;
        _items.Dispose();
    }

    // An integer that a double can have exactly is written without a fraction by 17 digits, too.
    private static int Write(in LuaValue value, byte* place)
    {
        if (value.AsString is not { } text)
            return Write(value.Number, new Span<byte>(place, RedisNumber.DoubleBytesMax));

        ReadOnlySpan<byte> bytes = text.Bytes;
        bytes.CopyTo(new Span<byte>(place, bytes.Length));
        return bytes.Length;
    }

    private static int Write(double number, Span<byte> place)
    {
        long integer = (long)number;
        bool isExact = integer == number && integer is >= -IntegerMax and <= IntegerMax;
        // Of the two zeros one has a sign.
        return isExact && (integer != 0 || !double.IsNegative(number))
            ? RedisNumber.FormatInt64(integer, place) : RedisNumber.FormatDoubleSeventeen(number, place);
    }

    private void Reserve(long size)
    {
        if (size <= _capacity && _capacity <= KeptCapacityMax)
            return;
        NativeMemory.Free(_bytes);
        _capacity = Math.Max(size, 1024);
        _bytes = (byte*)NativeMemory.Alloc((nuint)_capacity);
    }
}
