// What redis.call and redis.pcall return: the reply of a command as a value of Lua.
//
//   integer        number                    double        {double = number}          RESP3 only
//   bulk string    string                    map           {map = {...}}              RESP3 only
//   array          table                     set           {set = {member = true}}    RESP3 only
//   status         {ok = string}             big number    {big_number = string}      RESP3 only
//   error          {err = string}            verbatim      {verbatim_string = {...}}  RESP3 only
//   null           false; in RESP3 nil       boolean       boolean                    RESP3 only
//
// The reply is our own, so it is complete and well formed.

using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>Reads a command's reply as a value of Lua.</summary>
internal ref struct ReplyToLua(LuaMachine machine, ScriptNames names, ReadOnlySpan<byte> reply)
{
    // No reply of a command nests as deep.
    private const int DepthMax = 128;

    private readonly LuaMachine _machine = machine;
    private readonly ScriptNames _names = names;
    private readonly ReadOnlySpan<byte> _reply = reply;
    private int _position;

    /// <summary>Reads the reply.</summary>
    public LuaValue Read()
    {
        LuaValue value = Read(0);
        Debug.Assert(_position == _reply.Length, "a command has one reply");
        return value;
    }

    private LuaValue Read(int depth)
    {
        Debug.Assert(depth < DepthMax, "a reply nests too deep");
        byte kind = _reply[_position];
        if (kind == ':')
            return (double)Integer();
        if (kind == '$')
            return ReadBulk();
        ReadOnlySpan<byte> line = Line();
        return kind switch
        {
            (byte)'*' or (byte)'>' => ReadArray(line, depth),
            (byte)'+' => Wrap(_names.Ok, _machine.NewString(line)),
            (byte)'-' => ReadError(line),
            (byte)'_' => LuaValue.Nil,
            (byte)'#' => LuaValue.FromBoolean(line[0] == 't'),
            (byte)',' => Wrap(_names.Double, ReadDouble(line)),
            (byte)'(' => Wrap(_names.BigNumber, _machine.NewString(line)),
            (byte)'%' => ReadMap(line, depth),
            (byte)'~' => ReadSet(line, depth),
            (byte)'=' => ReadVerbatim(line),
            (byte)'|' => SkipAttribute(line, depth),
            _ => throw new InvalidOperationException($"a reply begins with {(char)kind}"),
        };
    }

    private static long Integer(ReadOnlySpan<byte> text)
    {
        bool isNumber = RedisNumber.TryParseInt64(text, out long value);
        Debug.Assert(isNumber, "a length or an integer is a number");
        return value;
    }

    private static double ReadDouble(ReadOnlySpan<byte> text) =>
        RedisNumber.TryParseDouble(text, out double value) ? value : double.NaN;

    private ReadOnlySpan<byte> Line()
    {
        ReadOnlySpan<byte> rest = _reply[(_position + 1)..];
        int length = rest.IndexOf((byte)'\r');
        _position += length + 3;
        return rest[..length];
    }

    private ReadOnlySpan<byte> Bulk(int length)
    {
        ReadOnlySpan<byte> bytes = _reply.Slice(_position, length);
        _position += length + 2;
        return bytes;
    }

    // The most frequent kinds are read in one step with their line.
    private long Integer()
    {
        int place = _position + 1;
        bool isNegative = _reply[place] == '-';
        place += isNegative ? 1 : 0;
        long value = 0;
        for (; _reply[place] != '\r'; place++)
            value = (value * 10) + (_reply[place] - '0');
        _position = place + 2;
        return isNegative ? -value : value;
    }

    private LuaValue ReadBulk()
    {
        long length = Integer();
        return length < 0 ? LuaValue.False : _machine.NewString(Bulk((int)length));
    }

    private LuaValue ReadError(ReadOnlySpan<byte> text)
    {
        LuaTable table = _machine.NewTable(0, 2);
        table.Set(_names.Err, _machine.NewString(text));
        table.Set(_names.IsCounted, LuaValue.True);
        return LuaValue.From(table);
    }

    private LuaValue ReadVerbatim(ReadOnlySpan<byte> line)
    {
        ReadOnlySpan<byte> bytes = Bulk((int)Integer(line));
        LuaTable table = _machine.NewTable(0, 2);
        table.Set(_names.Format, _machine.NewString(bytes[..3]));
        table.Set(_names.String, _machine.NewString(bytes[4..]));
        return Wrap(_names.VerbatimString, LuaValue.From(table));
    }

    private LuaValue ReadArray(ReadOnlySpan<byte> line, int depth)
    {
        long count = Integer(line);
        if (count < 0)
            return LuaValue.False;
        LuaTable table = _machine.NewTable((int)count, 0);
        for (int index = 1; index <= count; index++)
            table.Set(index, Read(depth + 1));
        return LuaValue.From(table);
    }

    private LuaValue ReadMap(ReadOnlySpan<byte> line, int depth)
    {
        long count = Integer(line);
        LuaTable table = _machine.NewTable(0, (int)count);
        for (long left = count; left > 0; left--)
        {
            LuaValue key = Read(depth + 1);
            table.Set(key, Read(depth + 1));
        }

        return Wrap(_names.Map, LuaValue.From(table));
    }

    private LuaValue ReadSet(ReadOnlySpan<byte> line, int depth)
    {
        long count = Integer(line);
        LuaTable table = _machine.NewTable(0, (int)count);
        for (long left = count; left > 0; left--)
            table.Set(Read(depth + 1), LuaValue.True);
        return Wrap(_names.Set, LuaValue.From(table));
    }

    private LuaValue SkipAttribute(ReadOnlySpan<byte> line, int depth)
    {
        for (long left = 2 * Integer(line); left > 0; left--)
            Read(depth + 1);
        return Read(depth);
    }

    private readonly LuaValue Wrap(LuaString name, LuaValue value)
    {
        LuaTable table = _machine.NewTable(0, 1);
        table.Set(name, value);
        return LuaValue.From(table);
    }
}
