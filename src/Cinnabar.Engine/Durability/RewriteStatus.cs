namespace Cinnabar.Engine.Durability;

/// <summary>What INFO says of rewrites.</summary>
/// <param name="IsLastRewritten">Whether the last one that ended has succeeded.</param>
/// <param name="LastDurationS">How long it took, in seconds; −1: there was none.</param>
/// <param name="RewriteCount">How many have begun.</param>
/// <param name="FailureCount">How many have failed since the last that succeeded.</param>
/// <param name="LastPreImageBytes">Bytes of pre-images of the last one.</param>
internal readonly record struct RewriteStatus(
    bool IsLastRewritten, long LastDurationS, long RewriteCount, long FailureCount, long LastPreImageBytes);
