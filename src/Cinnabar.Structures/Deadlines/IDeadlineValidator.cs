namespace Cinnabar.Structures.Deadlines;

/// <summary>
/// Decides for <see cref="DeadlineIndex"/> which records are still valid. Implement it as a struct.
/// </summary>
public interface IDeadlineValidator
{
    /// <summary>Whether a key with this hash still has exactly this deadline in this database.</summary>
    bool IsLive(in DeadlineRecord record);
}
