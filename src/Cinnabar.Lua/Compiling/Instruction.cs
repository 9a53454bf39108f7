namespace Cinnabar.Lua.Compiling;

/// <summary>
/// An instruction of 8 bytes: operation, the register that it most often writes, and two operands.
/// <code>
///   | Op 8 | A 8 | B 16 | C 32 |
/// </code>
/// The fields are whole bytes, so that each is one load. C is wide enough for every jump and every constant.
/// </summary>
internal struct Instruction(Op op, int a, int b, int c)
{
    public Op Op = op;
    public byte A = (byte)a;
    public ushort B = (ushort)b;
    public int C = c;

    /// <summary>Whether C is where to go on.</summary>
    public readonly bool IsJump =>
        Op is (>= Op.Jump and <= Op.ConstantLessOrEqual) or Op.ForLoop or Op.ForPrepare or Op.ForIn;
}
