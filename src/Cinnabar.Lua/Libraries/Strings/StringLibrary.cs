using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>The library <c>string</c> of Lua 5.1: what does not need patterns; see
/// <see cref="StringSearch"/>,
/// <see cref="StringReplace"/> and <see cref="StringFormat"/> for the rest.</summary>
internal static class StringLibrary
{
    /// <summary>Opens the library: the table, which is the index of all strings too.</summary>
    internal static LuaTable Open(LuaMachine machine)
    {
        var cache = new PatternCache();
        var search = new StringSearch(cache);
        return LibraryTable.Make(machine,
        [
            ("byte", Byte), ("char", Char), ("dump", Dump), ("find", search.Find),
            ("format", StringFormat.Format), ("gmatch", search.GMatch), ("gfind", search.GMatch),
            ("gsub", new StringReplace(cache).GSub), ("len", Len), ("lower", Lower),
            ("match", search.Match), ("rep", Rep), ("reverse", Reverse), ("sub", Sub), ("upper", Upper),
        ]);
    }

    /// <summary>A place as an argument gives it, counted from the end when negative.</summary>
    internal static long PlaceOf(long place, int length) =>
        Math.Max(0, place < 0 ? place + length + 1 : place);

    private static int Len(LuaCall call) => call.Return((double)call.CheckString(0).Length);

    private static int Sub(LuaCall call)
    {
        LuaString text = call.CheckString(0);
        long start = Math.Max(1, PlaceOf(call.CheckInteger(1), text.Length));
        long end = Math.Min(text.Length, PlaceOf(call.OptInteger(2, -1), text.Length));
        if (start > end) return call.Return(LuaValue.From(LuaString.Empty));
        if (start == 1 && end == text.Length) return call.Return(LuaValue.From(text));
        return call.Return(call.NewString(text.Bytes[(int)(start - 1)..(int)end]));
    }

    private static int Byte(LuaCall call)
    {
        LuaString text = call.CheckString(0);
        long start = PlaceOf(call.OptInteger(1, 1), text.Length);
        long end = PlaceOf(call.OptInteger(2, start), text.Length);
        start = Math.Max(1, start);
        end = Math.Min(text.Length, end);
        if (start > end) return call.Return();
        int count = (int)(end - start + 1);
        if (count == 1) return call.Return((double)text.Bytes[(int)start - 1]);
        if (count
            + call.Count > LibraryTable.StackMax) throw call.Error("stack overflow (string slice too long)");
        call.Machine.StepCopied(count);
        Span<LuaValue> values = call.Results(count);
        for (int i = 0; i < count; i++) values[i] = (double)text.Bytes[(int)start - 1 + i];
        return count;
    }

    private static int Char(LuaCall call)
    {
        int count = call.Count;
        call.Charge(LuaString.Overhead + count);
        call.Machine.StepCopied(count);
        byte[] text = new byte[count];
        for (int i = 0; i < count; i++)
        {
            int code = call.CheckInt(i);
            if ((byte)code != code) throw call.ArgumentError(i, "invalid value");
            text[i] = (byte)code;
        }
        return call.Return(LibraryTable.Adopt(text));
    }

    private static int Dump(LuaCall call)
    {
        call.CheckFunction(0);
        throw call.Error("unable to dump given function");
    }

    private static int Lower(LuaCall call)
    {
        ReadOnlySpan<byte> text = call.CheckString(0).Bytes;
        call.Step(text.Length >> 6);
        byte[] lower = LibraryTable.NewBytes(call, text.Length);
        for (int i = 0; i < text.Length; i++)
            lower[i] = text[i] is >= (byte)'A' and <= (byte)'Z' ? (byte)(text[i] | 0x20) : text[i];
        return call.Return(LibraryTable.Adopt(lower));
    }

    private static int Upper(LuaCall call)
    {
        ReadOnlySpan<byte> text = call.CheckString(0).Bytes;
        call.Step(text.Length >> 6);
        byte[] upper = LibraryTable.NewBytes(call, text.Length);
        for (int i = 0; i < text.Length; i++)
            upper[i] = text[i] is >= (byte)'a' and <= (byte)'z' ? (byte)(text[i] & ~0x20) : text[i];
        return call.Return(LibraryTable.Adopt(upper));
    }

    private static int Reverse(LuaCall call)
    {
        ReadOnlySpan<byte> text = call.CheckString(0).Bytes;
        call.Step(text.Length >> 6);
        byte[] reversed = LibraryTable.NewBytes(call, text.Length);
        text.CopyTo(reversed);
        reversed.AsSpan().Reverse();
        return call.Return(LibraryTable.Adopt(reversed));
    }

    private static int Rep(LuaCall call)
    {
        ReadOnlySpan<byte> text = call.CheckString(0).Bytes;
        int count = call.CheckInt(1);
        if (count <= 0 || text.IsEmpty) return call.Return(LuaValue.From(LuaString.Empty));
        byte[] repeated = LibraryTable.NewBytes(call, (long)text.Length * count);
        const int slice = 1 << 20;
        int done = Math.Min(slice / text.Length, count) * text.Length;
        if (done == 0) done = text.Length;
        for (int at = 0; at < done; at += text.Length) text.CopyTo(repeated.AsSpan(at));
        // What there is is copied behind itself, at most a slice at once, so that the script can be
        // interrupted.
        int unit = done;
        while (done < repeated.Length)
        {
            call.Step(unit >> 10);
            int size = Math.Min(unit, repeated.Length - done);
            repeated.AsSpan(0, size).CopyTo(repeated.AsSpan(done));
            done += size;
        }
        return call.Return(LibraryTable.Adopt(repeated));
    }
}
