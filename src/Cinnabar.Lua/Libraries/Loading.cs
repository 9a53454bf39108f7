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
        using var source = new System.IO.MemoryStream();
        while (true)
        {
            LuaValue piece = call.Invoke(LuaValue.From(reader));
            if (piece.IsNil) break;
            if (!piece.TryToText(out LuaString text))
                return call.Return(LuaValue.Nil, LuaValue.FromString("reader function must return a string"));
            if (text.Length == 0) break;
            call.Charge(text.Length);
            source.Write(text.Bytes);
        }

        return Compile(call, source.ToArray(), name);
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
