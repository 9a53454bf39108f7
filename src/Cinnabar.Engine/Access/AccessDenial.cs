using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Access;

/// <summary>Why a user may not run a command.</summary>
/// <param name="Reason">Why; None: it may.</param>
/// <param name="Index">The argument that is not allowed: a key, channel or database; 0: none.</param>
internal readonly record struct AccessDenial(DenialReason Reason, int Index)
{
    /// <summary>The command is allowed.</summary>
    public static AccessDenial None => default;

    /// <summary>Whether the command is allowed.</summary>
    public bool IsNone => Reason == DenialReason.None;

    /// <summary>Whether this one says more than another: it came closer to being allowed.</summary>
    public bool SaysMoreThan(AccessDenial other) =>
        Reason > other.Reason || (Reason == other.Reason && Index > other.Index);
}
