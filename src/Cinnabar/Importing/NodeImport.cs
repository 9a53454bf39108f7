namespace Cinnabar.Importing;

/// <summary>The thread that imports one master for a round.</summary>
/// <param name="task">What it is part of.</param>
/// <param name="node">The master.</param>
/// <param name="hasFunctions">Whether the functions are copied from it.</param>
/// <param name="ended">Is set when it has ended.</param>
internal sealed class NodeImport(IImportTask task, SourceNode node, bool hasFunctions, AutoResetEvent ended)
    : IDisposable
{
    private readonly IImportTask _task = task;
    private readonly SourceNode _node = node;
    private readonly bool _hasFunctions = hasFunctions;
    private readonly AutoResetEvent _ended = ended;
    private readonly Lock _lock = new();
    private readonly List<ImportKey> _early = [];
    private Thread? _thread;
    private SourceLink? _source;
    private LocalLink? _local;
    private ImportRound? _round;
    private bool _isStopped;
    private volatile bool _hasBroken;
    private volatile bool _isFinished;
    private volatile bool _hasScanned;

    /// <summary>Where the master is, as MOVED names it.</summary>
    public string Place => string.Create(
        CultureInfo.InvariantCulture, $"{_node.Address.Host}:{_node.Address.Port}");

    /// <summary>Whether the round is over before its time.</summary>
    public bool HasBroken => _hasBroken;

    /// <summary>Whether everything was copied and the import is ended.</summary>
    public bool IsFinished => _isFinished;

    /// <summary>Whether all keys have been copied once.</summary>
    public bool HasScanned => _hasScanned;

    /// <summary>Begins.</summary>
    public void Start()
    {
        _thread = new Thread(Run) { Name = "cinnabar-import-node", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Has a key copied from this master; from any thread.</summary>
    public void Add(ImportKey key)
    {
        lock (_lock)
        {
            if (_round is null)
                _early.Add(key);
            else
                _round.Feed.Add(key);
        }
    }

    /// <summary>Ends the round; from any thread.</summary>
    public void Stop()
    {
        lock (_lock)
        {
            _isStopped = true;
            _source?.Abandon();
            _local?.Abandon();
        }
    }

    /// <summary>Waits until the thread has ended.</summary>
    public void Dispose() => _thread?.Join();

    private void Run()
    {
        try
        {
            using SourceLink source = _task.ConnectSource(_node.Address);
            using LocalLink local = _task.ConnectLocal();
            if (!TrySet(source, local))
                return;
            using var round = new ImportRound(_task, _node, source, local) { HasFunctions = _hasFunctions };
            try
            {
                Show(round);
                round.Run();
                _isFinished = true;
            }
            finally
            {
                _hasScanned = round.HasScanned;
                Hide();
            }
        }
        catch (ImportException fault)
        {
            _task.Note(fault.Message);
        }
        finally
        {
            _hasBroken = !_isFinished;
            _ended.Set();
        }
    }

    private bool TrySet(SourceLink source, LocalLink local)
    {
        lock (_lock)
        {
            (_source, _local) = (source, local);
            return !_isStopped;
        }
    }

    private void Show(ImportRound round)
    {
        lock (_lock)
        {
            _round = round;
            foreach (ImportKey key in _early)
                round.Feed.Add(key);
            _early.Clear();
        }
    }

    private void Hide()
    {
        lock (_lock)
            _round = null;
    }
}
