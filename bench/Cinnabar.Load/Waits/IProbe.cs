namespace Cinnabar.Load.Waits;

/// <summary>A client that sends and receives in steps that never block, so that a thread can run them alone
/// or beside a load.</summary>
public interface IProbe
{
    /// <summary>Whether every question so far was answered.</summary>
    bool IsAnswered { get; }

    /// <summary>The first error among the replies; null where there was none.</summary>
    string? FirstError { get; }

    /// <summary>Begins to ask.</summary>
    void Start();

    /// <summary>Sends what is due and takes what has come, without waiting for either.</summary>
    /// <param name="isAsking">Whether questions are still due.</param>
    /// <exception cref="LoadException">The connection broke, a reply was none, or none came for
    /// long.</exception>
    void Step(bool isAsking);

    /// <summary>Notes that the thread rested since the last step: nothing was due in that time.</summary>
    void Skip();
}
