using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Replies of a turn that are ready to be sent, in order. Each holds a reference of its
/// chunk.</summary>
internal sealed unsafe class PostponedRuns : IDisposable
{
    private const int CountMax = 256;
    private const long WaitNsMax = 200_000;
    private const long NotBegun = -1;

    private readonly PostponedRun[] _runs = new PostponedRun[CountMax];
    private long _sinceNs = NotBegun;

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>Whether no more may be added.</summary>
    public bool IsFull => Count == CountMax;

    public void Add(Session session, in OutputSegment run) => _runs[Count++] = new PostponedRun(session, run);

    /// <summary>Asks the journal whether they may be sent, and says to the loop's transport that they are
    /// next.</summary>
    /// <returns>The position of the journal that must be durable first; 0: they may be sent.</returns>
    public long Prepare(ServerJournal journal, Loop loop)
    {
        long position = Count > 0 ? journal.Settle() : 0;
        if (position > 0)
            return position;
        foreach (ref readonly PostponedRun postponed in _runs.AsSpan(0, Count))
        {
            if (!postponed.Session.IsClosed && postponed.Session.Unsent is null)
                loop.Transport.Prepare(postponed.Session, postponed.Run);
        }

        return 0;
    }

    /// <summary>Takes a run; the others keep their places until <see cref="Clear"/>.</summary>
    public PostponedRun Take(int index)
    {
        PostponedRun run = _runs[index];
        _runs[index] = default;
        return run;
    }

    /// <summary>Whether there is a run of a session's that has not been taken.</summary>
    public bool Has(Session session)
    {
        foreach (ref readonly PostponedRun run in _runs.AsSpan(0, Count))
        {
            if (run.Session == session)
                return true;
        }

        return false;
    }

    /// <summary>Whether the first have waited long enough. Ask it after each batch: the first call begins
    /// their wait.</summary>
    public bool IsDue(long nowNs)
    {
        if (Count > 0 && _sinceNs == NotBegun)
            _sinceNs = nowNs;
        return Count > 0 && nowNs - _sinceNs > WaitNsMax;
    }

    /// <summary>Forgets all: they have been taken.</summary>
    public void Clear()
    {
        Count = 0;
        _sinceNs = NotBegun;
    }

    // SAFETY: a run that has not been taken holds a reference of its chunk.
    public void Dispose()
    {
        for (int index = 0; index < Count; index++)
            _runs[index].Run.Block->Release();
        Count = 0;
    }
}
