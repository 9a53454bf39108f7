namespace Cinnabar.Engine.Specs;

/// <summary>The kinds of nodes of a <see cref="SpecTree"/>, and their letters.</summary>
internal enum SpecNodeKind : byte
{
    /// <summary>An array: its items follow.</summary>
    Array = (byte)'a',

    /// <summary>A map: key, value, key, value follow.</summary>
    Map = (byte)'m',

    /// <summary>A set: its items follow.</summary>
    Set = (byte)'s',

    /// <summary>A bulk string.</summary>
    Bulk = (byte)'b',

    /// <summary>A simple string.</summary>
    Status = (byte)'t',

    Integer = (byte)'i',
}
