namespace Cinnabar.Lua.Compiling;

/// <summary>
/// An expression that was parsed: its code is there as far as it has to be. What uses it decides in which
/// register the value goes, or that none is needed. Two lists of jumps leave the expression: when it is true,
/// when it is false.
/// </summary>
internal struct Operand(OperandKind kind, int info = 0)
{
    public OperandKind Kind = kind;
    public int Info = info;
    public int Aux;
    public double Number;

    /// <summary>Jumps taken when it is true.</summary>
    public int WhenTrue = CodeBuilder.NoJump;

    /// <summary>Jumps taken when it is false.</summary>
    public int WhenFalse = CodeBuilder.NoJump;

    /// <summary>Whether jumps leave it.</summary>
    public readonly bool HasJumps => WhenTrue != WhenFalse;

    /// <summary>Whether it is a number that is known now.</summary>
    public readonly bool IsNumeral => Kind == OperandKind.Number && !HasJumps;

    /// <summary>Whether it is a value that is known now.</summary>
    public readonly bool IsConstant => Kind is (OperandKind.Nil or OperandKind.True or OperandKind.False
        or OperandKind.Number or OperandKind.Constant) && !HasJumps;

    /// <summary>Whether its number of values is open.</summary>
    public readonly bool IsMultiple => Kind is OperandKind.Call or OperandKind.Vararg;

    /// <summary>Whether it is an entry of a table.</summary>
    public readonly bool IsIndexed =>
        Kind is OperandKind.IndexedByRegister or OperandKind.IndexedByField or OperandKind.IndexedByInteger;
}
