using System.Linq;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>A compiled function. It does not change, so machines and threads share it.</summary>
public sealed class Prototype
{
    // Of the layout that the run time gives: header and fields, header of an array, elements.
    private const int ObjectBytes = 112;
    private const int ArrayBytes = 24;
    private const int LineBytes = 2;
    private const int ElementBytes = 16;
    private const int LocalBytes = 24;

    internal Prototype()
    {
    }

    /// <summary>The name of its chunk, as the host gave it.</summary>
    public LuaString Chunk { get; internal init; } = LuaString.Empty;

    /// <summary>The line at which it begins; 0: a chunk.</summary>
    public int FirstLine { get; internal init; }

    /// <summary>The line at which it ends.</summary>
    public int LastLine { get; internal init; }

    /// <summary>About how many bytes it and its children take. Short strings are taken to be shared with
    /// other prototypes.</summary>
    public long ByteCount => ObjectBytes + BytesOf(Code.Length, sizeof(ulong))
        + BytesOf(Code.Length, LineBytes) + BytesOf(Constants.Length, ElementBytes)
        + BytesOf(Locals.Length, LocalBytes) + BytesOf(Upvalues.Length, ElementBytes)
        + BytesOf(Children.Length, sizeof(long))
        + Constants.Sum(SizeOf) + Children.Sum(static child => child.ByteCount);

    internal Instruction[] Code { get; init; } = [];

    internal LuaValue[] Constants { get; init; } = [];

    internal Prototype[] Children { get; init; } = [];

    internal UpvalueSource[] Upvalues { get; init; } = [];

    internal LocalVariable[] Locals { get; init; } = [];

    /// <summary>The line of each instruction.</summary>
    internal LineNumbers Lines { get; init; }

    internal int ParameterCount { get; init; }

    internal bool IsVararg { get; init; }

    /// <summary>Whether its surplus arguments go into a table, its local "arg".</summary>
    internal bool NeedsArgumentTable { get; init; }

    internal int RegisterCount { get; init; }

    /// <summary>The local variable in a register at an instruction, in the order of declaration from 0; null:
    /// there is none.</summary>
    internal LuaString? LocalAt(int register, int instruction)
    {
        foreach (ref readonly LocalVariable local in Locals.AsSpan())
            if (local.Register == register && local.Start <= instruction && instruction < local.End)
                return local.Name;
        return null;
    }

    /// <summary>Whether its code, or that of a function within it, assigns one of its upvalues.</summary>
    internal bool Assigns(int upvalue)
    {
        foreach (Instruction instruction in Code)
            if (instruction.Op == Op.SetUpvalue && instruction.B == upvalue) return true;
        foreach (Prototype child in Children)
        {
            for (int index = 0; index < child.Upvalues.Length; index++)
            {
                UpvalueSource source = child.Upvalues[index];
                if (!source.IsRegister && source.Index == upvalue && child.Assigns(index)) return true;
            }
        }

        return false;
    }

    private static long SizeOf(LuaValue constant) =>
        constant.Ref is LuaString { Length: > LuaStringPool.LengthMax } text
            ? LuaString.Overhead + text.Length : 0;

    private static long BytesOf(int count, int elementBytes) =>
        count == 0 ? 0 : (ArrayBytes + ((long)count * elementBytes) + 7) & ~7;
}
