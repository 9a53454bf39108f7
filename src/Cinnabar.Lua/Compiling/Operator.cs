namespace Cinnabar.Lua.Compiling;

/// <summary>Operators of two operands.</summary>
internal enum Operator
{
    None,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Concatenate,
    NotEqual,
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
}
