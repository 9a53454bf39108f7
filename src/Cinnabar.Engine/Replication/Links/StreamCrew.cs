// A batch is executed by the link's thread and, where that pays, by loops that help it. The link's thread
// holds the stripes, divides the batch into groups without a common stripe, and asks the loops; each
// takes group after group until none is left. A loop that comes late finds nothing and goes on; one that has
// taken a group is waited for. So no busy loop holds the batch up, and the link's thread never waits for one
// that has yet to wake.
//
//   link's thread   ─ scan ─ take stripes ─ ask ─ group 0 ─ group 2 ─ wait ─ offset ─ release
//   a loop                                   '────── group 1 ─ group 3 ─'
//
//   _claims:  | number of the batch 32 | groups 16 | taken 16 |     a group is taken by a compare-and-swap
//
// Groups run in no order to each other, which nothing may show: it is done only while no client is told of
// changes (keyspace events, WATCH, tracking, MONITOR, waiting clients) and none is recorded: an append-only
// file whose end a crash cuts off has to end behind some unit of the stream.
//
// To wake a loop takes some ten microseconds, and to divide cheap commands costs as much as to execute them:
// whether sharing pays is measured (StreamPace).

using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Executes batches, on as many loops as there is independent work for.</summary>
internal sealed class StreamCrew : IDisposable
{
    private const long SharedNsMin = 40_000;
    private const long HeldNsMax = 100_000;
    private const int CountBits = 16;
    private const int CountMask = (1 << CountBits) - 1;

    private readonly IReplicaServer _server;
    private readonly StreamExecution _own;
    private readonly StreamGroups _groups;
    private readonly SharingLoop[] _loops;
    private readonly StreamPace _pace = new();
    private StreamBatch? _batch;
    private long _nowMs;
    private long _claims;
    private bool _isSharing;
    private int _unfinishedCount;

    /// <param name="server">The server.</param>
    /// <param name="own">What the link's thread executes with.</param>
    public StreamCrew(IReplicaServer server, StreamExecution own)
    {
        (_server, _own) = (server, own);
        _groups = new StreamGroups(server.Keyspace);
        // With the link's thread as many as there are loops.
        _loops = new SharingLoop[server.Loops.Length - 1];
        for (int index = 0; index < _loops.Length; index++)
            _loops[index] = new SharingLoop(server, server.Loops[index + 1], Work);
    }

    /// <summary>Whether batches are shared whatever they cost. Only for tests.</summary>
    internal bool SharesAll { get; init; }

    /// <summary>Batches that loops were asked to help with. Only for tests.</summary>
    internal long SharedCount { get; private set; }

    // No client is told of commands in their order.
    private bool IsUnordered => !_server.Journal.IsRecording && _server.Waits.IsEmpty
        && !_server.Gates.Has(ServerGates.Monitored);

    /// <summary>Begins with a batch.</summary>
    /// <returns>How many commands it may have.</returns>
    public int Begin()
    {
        _isSharing = _loops.Length > 0 && (_pace.ChoosesSharing() || SharesAll) && IsUnordered;
        return !_isSharing ? StreamBatch.CountMax : (int)Math.Clamp(
            HeldNsMax / Math.Max(_pace.SharedNs, 1), StreamBatch.CountMax, StreamBatch.SharedCountMax);
    }

    /// <summary>Executes the first commands of a batch, whose stripes are held.</summary>
    /// <param name="batch">The batch.</param>
    /// <param name="count">How many.</param>
    /// <param name="nowMs">The instant.</param>
    /// <returns>How many were: one thread alone takes less at once than several.</returns>
    public int Run(StreamBatch batch, int count, long nowMs)
    {
        if (_loops.Length == 0)
        {
            _own.Run(batch, batch.Commands[..count], nowMs);
            return count;
        }

        long startNs = _server.Clock.MonotonicNanoseconds;
        bool isShared = _isSharing && TryShare(batch, count, nowMs);
        if (!isShared)
        {
            count = Math.Min(count, StreamBatch.CountMax);
            _own.Run(batch, batch.Commands[..count], nowMs);
        }

        _pace.Note(isShared, _server.Clock.MonotonicNanoseconds - startNs, count);
        return count;
    }

    /// <summary>Gives the counters of what was executed, and starts them over.</summary>
    public KeyspaceStatistics TakeStatistics()
    {
        KeyspaceStatistics taken = _own.TakeStatistics();
        foreach (SharingLoop loop in _loops)
            taken.Add(loop.Stream.TakeStatistics());
        return taken;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (SharingLoop loop in _loops)
            loop.Stream.Dispose();
    }

    private bool TryShare(StreamBatch batch, int count, long nowMs)
    {
        if ((count * _pace.AloneNs < SharedNsMin && !SharesAll) || !IsUnordered
            || IsObserved(in batch.Stripes))
            return false;
        _groups.Fill(batch, batch.Commands[..count]);
        if (_groups.Count < 2)
            return false;
        SharedCount++;
        (_batch, _nowMs) = (batch, nowMs);
        Volatile.Write(ref _unfinishedCount, _groups.Count);
        // ORDER: a release: what takes a group from this word sees the batch.
        Volatile.Write(ref _claims, (((_claims >> (2 * CountBits)) + 1) << (2 * CountBits))
            | ((long)_groups.Count << CountBits));
        for (int index = 0; index < Math.Min(_loops.Length, _groups.Count - 1); index++)
            _loops[index].Ask();
        Work(_own);
        var spinner = default(SpinWait);
        // ORDER: an acquire: what the loops have done comes before the release of the stripes.
        while (Volatile.Read(ref _unfinishedCount) != 0)
            spinner.SpinOnce(sleep1Threshold: -1);
        return true;
    }

    private bool IsObserved(in StripeSet stripes)
    {
        for (int index = stripes.Next(0); index >= 0; index = stripes.Next(index + 1))
        {
            Stripe stripe = _server.Keyspace.Stripes[index];
            if (stripe.IsObserved || stripe.HasWaiters)
                return true;
        }

        return false;
    }

    /// <summary>Executes groups until none is left.</summary>
    private void Work(StreamExecution stream)
    {
        while (TryClaim(out int group))
        {
            try
            {
                stream.Run(_batch!, _groups[group], _nowMs);
            }
            finally
            {
                // ORDER: a full fence.
                Interlocked.Decrement(ref _unfinishedCount);
            }
        }
    }

    // ORDER: the number of the batch is in the word, so a loop that comes late takes nothing of a later batch
    // by what it saw of an earlier one. Once it has taken a group, the batch waits for it.
    private bool TryClaim(out int group)
    {
        while (true)
        {
            long claims = Volatile.Read(ref _claims);
            group = (int)(claims & CountMask);
            if (group >= (int)(claims >> CountBits & CountMask))
                return false;
            if (Interlocked.CompareExchange(ref _claims, claims + 1, claims) == claims)
                return true;
        }
    }
}
