using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.MessagePack;

/// <summary>The library <c>cmsgpack</c>: values to MessagePack and back.</summary>
internal static class MessagePackLibrary
{
    /// <summary>Opens the library.</summary>
    internal static LuaTable Open(LuaMachine machine)
    {
        LuaTable table = LibraryTable.Make(machine,
            [("pack", Pack), ("unpack", Unpack), ("unpack_one", UnpackOne), ("unpack_limit", UnpackLimit)]);
        table.Set("_NAME", LuaValue.FromString("cmsgpack"));
        table.Set("_VERSION", LuaValue.FromString("lua-cmsgpack 0.4.0"));
        table.Set("_DESCRIPTION", LuaValue.FromString("MessagePack C implementation for Lua"));
        table.Set("_COPYRIGHT", LuaValue.FromString("Copyright (C) 2012, Salvatore Sanfilippo"));
        return table;
    }

    private static int Pack(LuaCall call)
    {
        // Errors about all arguments have the number 0.
        if (call.Count == 0) throw call.ArgumentError(-1, "MessagePack pack needs input.");
        if (2 * call.Count > LibraryTable.StackMax)
            throw call.ArgumentError(-1, "Too many arguments for MessagePack pack.");
        var packer = new MessagePacker(call);
        for (int i = 0; i < call.Count; i++) packer.Append(call[i]);
        return call.Return(packer.End());
    }

    private static int Unpack(LuaCall call) => Unpack(call, 0, 0);

    private static int UnpackOne(LuaCall call) => Unpack(call, 1, call.OptInteger(1, 0));

    private static int UnpackLimit(LuaCall call)
    {
        long limit = call.CheckInteger(1);
        return Unpack(call, limit, call.OptInteger(2, 0));
    }

    // limit: values to read. Without limit and place all are read, and nothing is said about the place that
    // was reached; else that comes first, -1 for the end.
    private static int Unpack(LuaCall call, long limit, long place)
    {
        ReadOnlySpan<byte> data = call.CheckString(0).Bytes;
        if (place < 0 || limit < 0)
            throw call.Error(
                $"Invalid request to unpack with offset of {(int)place} and limit of {data.Length}.");
        if (place > data.Length)
            throw call.Error($"Start offset {(int)place} greater than input length {data.Length}.");
        bool isWhole = limit == 0 && place == 0;
        var unpacker = new MessageUnpacker(call, data, (int)place);
        var values = new ValueList(call);
        if (!isWhole) values.Add(0.0);
        for (int count = 0; !unpacker.IsAtEnd && (isWhole || count < limit); count++)
            values.Add(unpacker.Read(count));
        if (isWhole) return call.Return(values.Written);
        if (values.Count >= LibraryTable.StackMax)
            throw call.Error("stack overflow (in function mp_unpack_full)");
        values.SetFirst(unpacker.IsAtEnd ? -1.0 : unpacker.Place);
        return call.Return(values.Written);
    }
}
