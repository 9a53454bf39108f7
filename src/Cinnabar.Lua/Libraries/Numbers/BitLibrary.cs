using System.Buffers.Binary;
using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Numbers;

/// <summary>The library <c>bit</c> (Lua BitOp): numbers are taken modulo 2^32 and given as signed integers of
/// 32 bits.</summary>
internal static class BitLibrary
{
    // 2^52 + 2^51: a number of less than 51 bits that it is added to has its integer in the low bits.
    private const double Shifter = 6755399441055744.0;

    /// <summary>Opens the library.</summary>
    internal static LuaTable Open(LuaMachine machine) => LibraryTable.Make(machine,
    [
        ("tobit", call => Return(call, Bits(call, 0))),
        ("bnot", call => Return(call, ~Bits(call, 0))),
        ("band", And), ("bor", Or), ("bxor", Xor), ("tohex", ToHex),
        ("lshift", call => Return(call, Bits(call, 0) << Count(call))),
        ("rshift", call => Return(call, Bits(call, 0) >> Count(call))),
        ("arshift", call => Return(call, (uint)((int)Bits(call, 0) >> Count(call)))),
        ("rol", call => Return(call, BitOperations.RotateLeft(Bits(call, 0), Count(call)))),
        ("ror", call => Return(call, BitOperations.RotateRight(Bits(call, 0), Count(call)))),
        ("bswap", call => Return(call, BinaryPrimitives.ReverseEndianness(Bits(call, 0)))),
    ]);

    private static uint Bits(LuaCall call, int index) =>
        (uint)BitConverter.DoubleToUInt64Bits(call.CheckNumber(index) + Shifter);

    private static int Count(LuaCall call) => (int)(Bits(call, 1) & 31);

    private static int Return(LuaCall call, uint bits) => call.Return((double)(int)bits);

    private static int And(LuaCall call)
    {
        uint bits = Bits(call, 0);
        for (int i = 1; i < call.Count; i++) bits &= Bits(call, i);
        return Return(call, bits);
    }

    private static int Or(LuaCall call)
    {
        uint bits = Bits(call, 0);
        for (int i = 1; i < call.Count; i++) bits |= Bits(call, i);
        return Return(call, bits);
    }

    private static int Xor(LuaCall call)
    {
        uint bits = Bits(call, 0);
        for (int i = 1; i < call.Count; i++) bits ^= Bits(call, i);
        return Return(call, bits);
    }

    // The second argument is the number of digits; a negative one asks for capital letters.
    private static int ToHex(LuaCall call)
    {
        uint bits = Bits(call, 0);
        const int digitsMax = 8;
        int digits = call.Count < 2 ? digitsMax : (int)Bits(call, 1);
        ReadOnlySpan<byte> alphabet = digits < 0 ? "0123456789ABCDEF"u8 : "0123456789abcdef"u8;
        int count = Math.Min(digitsMax, digits == int.MinValue ? digitsMax : Math.Abs(digits));
        Span<byte> text = stackalloc byte[digitsMax];
        for (int i = count - 1; i >= 0; i--)
        {
            text[i] = alphabet[(int)(bits & 15)];
            bits >>= 4;
        }
        return call.Return(call.NewString(text[..count]));
    }
}
