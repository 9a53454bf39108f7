namespace Cinnabar.Commands.Bitmaps;

/// <summary>What BITFIELD does with a value that does not fit its field.</summary>
internal enum OverflowMode : byte
{
    /// <summary>Keeps the lowest bits.</summary>
    Wrap,

    /// <summary>Takes the nearest value that fits.</summary>
    Saturate,

    /// <summary>Changes nothing and replies null.</summary>
    Fail,
}
