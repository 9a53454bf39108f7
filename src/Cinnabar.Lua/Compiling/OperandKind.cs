namespace Cinnabar.Lua.Compiling;

/// <summary>Where the value of an expression is, or what makes it.</summary>
internal enum OperandKind
{
    /// <summary>No expression.</summary>
    None,
    Nil,
    True,
    False,

    /// <summary>The number in <see cref="Operand.Number"/>.</summary>
    Number,

    /// <summary>Constant Info.</summary>
    Constant,

    /// <summary>The local variable in register Info.</summary>
    Local,

    /// <summary>Upvalue Info.</summary>
    Upvalue,

    /// <summary>The global whose name is constant Info.</summary>
    Global,

    /// <summary>An entry of the table in register Info; the key is register, constant or integer
    /// Aux.</summary>
    IndexedByRegister,
    IndexedByField,
    IndexedByInteger,

    /// <summary>Instruction Info jumps when the value is true.</summary>
    Jump,

    /// <summary>Instruction Info makes it, in a register that is to be set.</summary>
    Relocatable,

    /// <summary>It is in register Info.</summary>
    Register,

    /// <summary>Instruction Info is a call.</summary>
    Call,

    /// <summary>Instruction Info gets the surplus arguments.</summary>
    Vararg,
}
