namespace Cinnabar.Lua.Running;

/// <summary>What a metatable can answer to, in the order of <see cref="LuaMachine.EventNames"/>.</summary>
internal enum MetaEvent
{
    Index,
    NewIndex,
    Mode,
    Equal,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Negate,
    Length,
    Less,
    LessOrEqual,
    Concatenate,
    Call,
    ToText,
    Protected,
    Collect,
}
