namespace Cinnabar.Engine.Statistics;

/// <summary>What the import of another server's data has done. Any thread may count and read.</summary>
/// <param name="source">The source, without user and password.</param>
internal sealed class ImportProgress(string source)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, Node> _nodes = [];
    private string _lastError = "";
    private int _state;
    private long _copied;
    private long _deleted;
    private long _skipped;
    private long _events;
    private long _scans;
    private long _checked;
    private long _repaired;
    private long _differing;

    /// <summary>The source, without user and password.</summary>
    public string Source { get; } = source;

    /// <summary>How far it has come where that is not the nodes' business.</summary>
    public ImportState State => (ImportState)Volatile.Read(ref _state);

    /// <summary>What went wrong last; empty: nothing.</summary>
    public string LastError
    {
        get => Volatile.Read(ref _lastError);
        set => Volatile.Write(ref _lastError, value);
    }

    /// <summary>Times that a key was copied.</summary>
    public long Copied => Interlocked.Read(ref _copied);

    /// <summary>Keys that were deleted here because the source does not have them.</summary>
    public long Deleted => Interlocked.Read(ref _deleted);

    /// <summary>Times that a key could not be copied.</summary>
    public long Skipped => Interlocked.Read(ref _skipped);

    /// <summary>Events that the source has sent.</summary>
    public long Events => Interlocked.Read(ref _events);

    /// <summary>Scans of a source that were completed.</summary>
    public long Scans => Interlocked.Read(ref _scans);

    /// <summary>Keys whose values were compared.</summary>
    public long Checked => Interlocked.Read(ref _checked);

    /// <summary>Those among them that differed, while the source may have changed them, and were copied
    /// again.</summary>
    public long Repaired => Interlocked.Read(ref _repaired);

    /// <summary>Those that differed in the end.</summary>
    public long Differing => Interlocked.Read(ref _differing);

    /// <summary>Counts copied keys.</summary>
    public void AddCopied(long count) => Interlocked.Add(ref _copied, count);

    /// <summary>Counts deleted keys.</summary>
    public void AddDeleted(long count) => Interlocked.Add(ref _deleted, count);

    /// <summary>Counts a key that cannot be copied.</summary>
    /// <returns>How many there are.</returns>
    public long AddSkipped() => Interlocked.Increment(ref _skipped);

    /// <summary>Counts an event.</summary>
    public void AddEvent() => Interlocked.Increment(ref _events);

    /// <summary>Counts a completed scan.</summary>
    public void AddScan() => Interlocked.Increment(ref _scans);

    /// <summary>Counts compared keys.</summary>
    public void AddChecked(long count, long repaired, long differing)
    {
        Interlocked.Add(ref _checked, count);
        Interlocked.Add(ref _repaired, repaired);
        Interlocked.Add(ref _differing, differing);
    }

    /// <summary>The operator ends the import. One that has ended by itself stays as it is.</summary>
    public void BeginFinishing() => Interlocked.CompareExchange(
        ref _state, (int)ImportState.Finishing, (int)ImportState.Connecting);

    /// <summary>The import has ended.</summary>
    public void End(ImportState state)
    {
        var before = (ImportState)Interlocked.Exchange(ref _state, (int)state);
        Debug.Assert(before == ImportState.Finishing
            ? state is ImportState.Finished or ImportState.Incomplete
            : before == ImportState.Connecting && state == ImportState.Incomplete,
            $"an import goes from {before} to {state}");
    }

    /// <summary>Forgets the nodes: the source is looked at anew.</summary>
    public void ForgetNodes()
    {
        lock (_lock)
            _nodes.Clear();
    }

    /// <summary>Notes where the import of a master stands.</summary>
    public void Set(string name, in Node node)
    {
        lock (_lock)
            _nodes[name] = node;
    }

    /// <summary>Where all masters together stand: the sums, and the least of the states and
    /// instants.</summary>
    public Node Sum(out int nodeCount)
    {
        lock (_lock)
        {
            nodeCount = _nodes.Count;
            if (nodeCount == 0)
                return new Node(ImportState.Connecting, 0, 0, 0, 0);
            var sum = new Node(ImportState.Incomplete, 0, 0, 0, long.MaxValue);
            foreach (Node node in _nodes.Values)
            {
                sum = new Node(
                    (ImportState)Math.Min((int)sum.State, (int)node.State), sum.Scanned + node.Scanned,
                    sum.Total + node.Total, sum.Pending + node.Pending,
                    Math.Min(sum.SyncedMs, node.SyncedMs));
            }

            return sum;
        }
    }

    /// <summary>The import of one master.</summary>
    /// <param name="State">How far it has come.</param>
    /// <param name="Scanned">Keys that the present scan has seen.</param>
    /// <param name="Total">Keys that the master had when it began.</param>
    /// <param name="Pending">Changed keys that wait to be copied.</param>
    /// <param name="SyncedMs">Up to when all changes are copied, Unix time in milliseconds; 0: not known.
    /// </param>
    internal readonly record struct Node(
        ImportState State, long Scanned, long Total, long Pending, long SyncedMs);
}
