using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>A loop that helps to execute batches, with an execution of its own.</summary>
internal sealed class SharingLoop
{
    private readonly Loop _loop;
    private readonly Action _help;
    private int _isAsked;

    /// <param name="server">The server.</param>
    /// <param name="loop">The loop.</param>
    /// <param name="work">What it does when it is asked.</param>
    public SharingLoop(IReplicaServer server, Loop loop, Action<StreamExecution> work)
    {
        _loop = loop;
        Stream = new StreamExecution(server, loop, loop.Statistics, granted: null);
        _help = () =>
        {
            // ORDER: a full fence before the look at what there is to do: who asks after that asks again.
            Interlocked.Exchange(ref _isAsked, 0);
            work(Stream);
        };
    }

    /// <summary>What it executes with.</summary>
    public StreamExecution Stream { get; }

    /// <summary>Asks the loop to help, unless it has been asked and has not come yet.</summary>
    public void Ask()
    {
        if (Interlocked.Exchange(ref _isAsked, 1) == 0)
            _loop.Run(_help);
    }
}
