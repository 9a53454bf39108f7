namespace Cinnabar.Load;

/// <summary>How far a load is: replies so far, since when in seconds, and the share of it that is done, 0 …
/// 1.</summary>
public readonly record struct LoadProgress(long ReplyCount, double Seconds, double Share);
