using System;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Tracking;

/// <summary>The clients of one conversation, each connected to both servers, and what each side
/// gets.</summary>
internal sealed class TrackingConversation : IDisposable
{
    private readonly OwnServer _server = new();
    private readonly TrackingSide _theirs;
    private readonly TrackingSide _ours;

    /// <summary>Connects a reader r, another one s, a listener l and a writer w.</summary>
    /// <param name="oracle">The other server; it is emptied.</param>
    public TrackingConversation(OracleServer oracle)
    {
        _theirs = new TrackingSide(oracle.Connect);
        _ours = new TrackingSide(() => _server.Connect());
    }

    /// <summary>Has both servers do one line: a client's name and its command, <c>r? command</c> for one that
    /// waits, <c>r.</c> where that has ended, <c>r!</c> where the client leaves, <c>expire key</c>.</summary>
    /// <returns>What each client has got from each server; null where they agree.</returns>
    public string? Step(string line)
    {
        (string theirs, string ours) = (_theirs.Step(line), _ours.Step(line));
        return theirs == ours ? null : $"{line}\n  redis {theirs}\n  ours  {ours}";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _theirs.Dispose();
        _ours.Dispose();
        _server.Dispose();
    }
}
