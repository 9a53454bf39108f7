namespace Cinnabar.Lua.Compiling;

/// <summary>
/// What instructions do. R: a register; K: a constant; U: an upvalue; RK: a register, or from 256 on a
/// constant; →: continue at instruction C.
/// </summary>
internal enum Op : byte
{
    /// <summary>R[A] = R[B]</summary>
    Move,

    /// <summary>R[A] = K[C]</summary>
    LoadConstant,

    /// <summary>R[A] = (B != 0); if C is not 0 skip an instruction</summary>
    LoadBoolean,

    /// <summary>R[A] to R[B] = nil</summary>
    LoadNil,

    /// <summary>R[A] = U[B]</summary>
    GetUpvalue,

    /// <summary>U[B] = R[A]</summary>
    SetUpvalue,

    /// <summary>R[A] = globals[K[C]]</summary>
    GetGlobal,

    /// <summary>globals[K[C]] = R[A]</summary>
    SetGlobal,

    /// <summary>R[A] = R[B][K[C]], a string</summary>
    GetField,

    /// <summary>R[A] = R[B][C], an integer</summary>
    GetInteger,

    /// <summary>R[A] = R[B][R[C]]</summary>
    GetTable,

    /// <summary>R[A][K[C]] = RK[B], a string</summary>
    SetField,

    /// <summary>R[A][C] = RK[B], an integer</summary>
    SetInteger,

    /// <summary>R[A][R[B]] = RK[C]</summary>
    SetTable,

    /// <summary>R[A] = {}, with B places in its array and C in its hash part</summary>
    NewTable,

    /// <summary>R[A + 1] = R[B]; R[A] = R[B][K[C]]</summary>
    Self,

    /// <summary>R[A] = R[B] + R[C]</summary>
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,

    /// <summary>R[A] = R[B] + K[C]</summary>
    AddConstant,
    SubtractConstant,
    MultiplyConstant,
    DivideConstant,
    ModuloConstant,
    PowerConstant,

    /// <summary>R[A] = -R[B]</summary>
    Negate,
    Not,
    Length,

    /// <summary>R[A] = R[B] .. … .. R[C]</summary>
    Concatenate,

    /// <summary>→</summary>
    Jump,

    /// <summary>If R[A] is true as B says (0 or 1) →</summary>
    Test,

    /// <summary>If R[B] without its bit 8 is true as bit 8 of B says: R[A] = R[B], →</summary>
    TestSet,

    /// <summary>If R[A] == R[B] as bit 8 of B says →</summary>
    Equal,

    /// <summary>If R[A] == K[B] as bit 15 of B says →</summary>
    EqualConstant,
    Less,

    /// <summary>If R[A] &lt; K[B] as bit 15 of B says →</summary>
    LessConstant,

    /// <summary>If K[B] &lt; R[A] as bit 15 of B says →</summary>
    ConstantLess,
    LessOrEqual,
    LessOrEqualConstant,
    ConstantLessOrEqual,

    /// <summary>R[A], … = R[A](R[A + 1], …) with B - 1 arguments (0: to the open end) and C - 1 results (0:
    /// all)</summary>
    Call,

    /// <summary>return R[A](…), with B as in Call</summary>
    TailCall,

    /// <summary>return R[A], … with B - 1 values (0: to the open end)</summary>
    Return,

    /// <summary>return without values, where no local of the function is an upvalue</summary>
    ReturnNone,

    /// <summary>return R[A], where no local of the function is an upvalue</summary>
    ReturnOne,

    /// <summary>R[A] += R[A + 2]; if it is within R[A + 1]: R[A + 3] = R[A], →</summary>
    ForLoop,

    /// <summary>R[A] -= R[A + 2]; →</summary>
    ForPrepare,

    /// <summary>R[A + 3], … = R[A](R[A + 1], R[A + 2]), B values; if R[A + 3] is not nil: R[A + 2] = R[A +
    /// 3], →</summary>
    ForIn,

    /// <summary>R[A][C + i] = R[A + i] for 1 to B values (0: to the open end)</summary>
    SetList,

    /// <summary>Closes the upvalues from R[A] on</summary>
    Close,

    /// <summary>R[A] = a closure of child C</summary>
    Closure,

    /// <summary>R[A], … = the surplus arguments, B - 1 of them (0: all)</summary>
    Vararg,
}
