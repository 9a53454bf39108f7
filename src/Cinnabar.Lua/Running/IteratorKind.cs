namespace Cinnabar.Lua.Running;

/// <summary>Functions whose steps the interpreter knows.</summary>
internal enum IteratorKind
{
    None,

    /// <summary>next</summary>
    Next,

    /// <summary>What ipairs gives.</summary>
    Array,
}
