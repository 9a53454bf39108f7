namespace Cinnabar.Engine.Durability;

/// <summary>What LASTSAVE and INFO say of saves.</summary>
/// <param name="LastSaveS">When the last one that succeeded ended, Unix seconds; before it, the start of the
/// server.</param>
/// <param name="IsLastSaved">Whether the last one that ended has succeeded, but for those that failed while a
/// client waited.</param>
/// <param name="LastDurationS">How long the last one in the background took, in seconds; −1: there was
/// none.</param>
/// <param name="SaveCount">How many have begun, of those that count.</param>
/// <param name="LastPreImageBytes">Bytes of pre-images of the last one.</param>
/// <param name="SavedChangeCount">The changes that the last one that succeeded has.</param>
internal readonly record struct SaveStatus(long LastSaveS, bool IsLastSaved, long LastDurationS,
    long SaveCount, long LastPreImageBytes, long SavedChangeCount);
