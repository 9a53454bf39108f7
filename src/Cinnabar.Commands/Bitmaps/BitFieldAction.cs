namespace Cinnabar.Commands.Bitmaps;

/// <summary>The subcommands of BITFIELD that act on a field.</summary>
internal enum BitFieldAction : byte
{
    /// <summary>Replies the value.</summary>
    Get,

    /// <summary>Stores a value and replies the old one.</summary>
    Set,

    /// <summary>Adds to the value and replies the new one.</summary>
    IncrementBy,
}
