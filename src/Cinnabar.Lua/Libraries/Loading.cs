using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>load and loadstring.</summary>
internal static class Loading
{
    public static int LoadString(LuaCall call)
    {
        LuaString source = call.CheckString(0);
        return Compile(call, source.Bytes, call.OptString(1, source));
    }

    public static int Load(LuaCall call)
    {
        LuaFunction reader = call.CheckFunction(0);
        LuaString name = call.OptString(1, LuaString.From("=(load)"));
        LuaThread thread = call.Thread;
        int depth = thread.Depth;
        int hostDepth = thread.Machine.HostDepth;
        try
        {
            return Compile(call, Read(call, LuaValue.From(reader)), name);
        }
        catch (LuaException exception)
        {
            thread.Unwind(depth);
            thread.Machine.HostDepth = hostDepth;
            return call.Return(LuaValue.Nil, exception.Value);
        }
    }

    private static byte[] Read(LuaCall call, LuaValue reader)
    {
        using var source = new System.IO.MemoryStream();
        while (true)
        {
            LuaValue piece = call.Invoke(reader);
            if (piece.IsNil) break;
            if (!piece.TryToText(out LuaString text))
                throw call.Error("reader function must return a string");
            if (text.Length == 0) break;
            call.Charge(text.Length);
            source.Write(text.Bytes);
        }

        return source.ToArray();
    }

    private static int Compile(LuaCall call, ReadOnlySpan<byte> source, LuaString name)
    {
        call.Charge(source.Length * 8L);
        try
        {
            return call.Return(LuaValue.From(call.Machine.Bind(LuaMachine.Compile(source, name))));
        }
        catch (LuaException exception)
        {
            return call.Return(LuaValue.Nil, exception.Value);
        }
    }
}
