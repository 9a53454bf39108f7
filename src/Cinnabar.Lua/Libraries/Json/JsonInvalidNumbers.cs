namespace Cinnabar.Lua.Libraries.Json;

/// <summary>What happens with numbers that JSON has not: infinities and what is no number.</summary>
internal enum JsonInvalidNumbers
{
    /// <summary>They are an error.</summary>
    Off,

    /// <summary>They are written as C names them.</summary>
    On,

    /// <summary>They are written as null.</summary>
    Null,
}
