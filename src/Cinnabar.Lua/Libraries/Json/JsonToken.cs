namespace Cinnabar.Lua.Libraries.Json;

/// <summary>The kinds of JSON's tokens; their names stand in error texts.</summary>
internal enum JsonToken
{
    /// <summary>No token: see <see cref="JsonScanner.Mistake"/>.</summary>
    Error,

    /// <summary>{</summary>
    ObjectBegin,

    /// <summary>}</summary>
    ObjectEnd,

    /// <summary>[</summary>
    ArrayBegin,

    /// <summary>]</summary>
    ArrayEnd,

    /// <summary>A string.</summary>
    Text,

    /// <summary>A number.</summary>
    Number,

    /// <summary>true.</summary>
    True,

    /// <summary>false.</summary>
    False,

    /// <summary>null.</summary>
    Null,

    /// <summary>A colon.</summary>
    Colon,

    /// <summary>A comma.</summary>
    Comma,

    /// <summary>The end of the text.</summary>
    End,
}
