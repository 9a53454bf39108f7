// Imports the data of another server, or of all masters of a cluster, while this one serves: for servers that
// no replica may follow. A thread finds the masters; each master has a thread that copies it by rounds
// (ImportRound).
//
//   find the masters ─► a round for each ─► all finished: the import is over
//          ▲                 │
//          └── a round broke ┘  (a second later; all rounds begin again)
//
// import-mode is on meanwhile: keys past their deadline stay until the source has removed them. The operator
// ends the import by CONFIG SET import-mode no.

using System.IO;
using Cinnabar.Engine;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Statistics;
using Cinnabar.Transport;

namespace Cinnabar.Importing;

/// <summary>The import of a source.</summary>
internal sealed class Import : IImportTask, IDisposable
{
    private const int RetryMs = 1000;
    private const int FinishAttemptsMax = 10;
    private const string ModeDirective = "import-mode";

    private readonly ServerEngine _engine;
    private readonly TransportHost _host;
    private readonly ImportAddress _source;
    private readonly Lock _lock = new();
    private readonly AutoResetEvent _woken = new(false);
    private readonly Thread _thread;
    private NodeImport[] _nodes = [];
    private volatile bool _isStopped;

    /// <summary>Prepares an import.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="host">Its transports.</param>
    /// <param name="source">The source.</param>
    /// <param name="record">What is known of earlier runs.</param>
    public Import(ServerEngine engine, TransportHost host, ImportAddress source, ImportRecord record)
    {
        (_engine, _host, _source, Record) = (engine, host, source, record);
        Progress = new ImportProgress(source.ToString());
        engine.Statistics.Import = Progress;
        _thread = new Thread(Run) { Name = "cinnabar-import", IsBackground = true };
    }

    /// <inheritdoc/>
    public ImportProgress Progress { get; }

    /// <inheritdoc/>
    public ImportRecord Record { get; }

    /// <inheritdoc/>
    public ILog Log => _engine.Log;

    /// <inheritdoc/>
    public int DatabaseCount => _engine.Keyspace.DatabaseCount;

    /// <inheritdoc/>
    public bool IsFinishing => Progress.State >= ImportState.Finishing;

    /// <summary>Begins, when the server has loaded its own data.</summary>
    /// <exception cref="ImportException">It has keys that are not of this source.</exception>
    /// <exception cref="IOException">The record cannot be written.</exception>
    public void Start()
    {
        if (!Record.IsOfSource && HasKeys())
        {
            throw new ImportException($"this server has keys that were not imported from {_source} "
                + $"({Record.FilePath} does not name it), and an import deletes what its source does not "
                + "have: start it with an empty directory");
        }

        Record.Begin();
        _engine.Configuration.Follow(ModeDirective, () =>
        {
            if (_engine.Configuration.NumberOf(ModeDirective) == 0)
                Progress.BeginFinishing();
        });
        _engine.Log.Write(LogLevel.Notice, $"Import: keys are copied from {_source}; end it by CONFIG SET "
            + $"{ModeDirective} no.");
        _thread.Start();
    }

    /// <inheritdoc/>
    public SourceLink ConnectSource(ImportAddress address) => SourceLink.Connect(address, _host);

    /// <inheritdoc/>
    public LocalLink ConnectLocal() => new(_host);

    /// <inheritdoc/>
    public bool TryRoute(ImportKey key, string place)
    {
        foreach (NodeImport node in Nodes)
        {
            if (node.Place != place)
                continue;
            node.Add(key);
            return true;
        }

        return false;
    }

    /// <inheritdoc/>
    public void Note(string error)
    {
        if (_isStopped)
            return;
        // What lasts is said once.
        if (Progress.LastError != error)
            _engine.Log.Write(LogLevel.Warning, "Import: " + error);
        Progress.LastError = error;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isStopped = true;
        _woken.Set();
        foreach (NodeImport node in Nodes)
            node.Stop();
        if (_thread.IsAlive)
            _thread.Join();
        _woken.Dispose();
    }

    private NodeImport[] Nodes
    {
        get
        {
            lock (_lock)
                return _nodes;
        }
    }

    private bool HasKeys()
    {
        for (int database = 0; database < DatabaseCount; database++)
        {
            if (_engine.Keyspace.Count(database) > 0)
                return true;
        }

        return false;
    }

    private void Run()
    {
        try
        {
            for (int failures = 0; !_isStopped; failures++)
            {
                if (TryImport(out bool hasScanned))
                {
                    End(ImportState.Finished, "everything was copied; keys expire here now. Remove "
                        + "--import-from from the command line.");
                    return;
                }

                failures = hasScanned ? 0 : failures;
                if (_engine.Replica.IsReplica)
                    End(ImportState.Incomplete, "it ends, since this server has become a replica.");
                else if (IsFinishing && failures >= FinishAttemptsMax)
                    End(ImportState.Incomplete, "it ends WITHOUT what changed last: " + Progress.LastError);
                if (Progress.State == ImportState.Incomplete)
                    return;
                _woken.WaitOne(RetryMs);
            }
        }
        catch (Exception fault)
        {
            _engine.Fail(fault);
        }
    }

    // Runs a round with each master until all have finished, or one breaks.
    private bool TryImport(out bool hasScanned)
    {
        hasScanned = false;
        Progress.ForgetNodes();
        NodeImport[] nodes;
        try
        {
            IReadOnlyList<SourceNode> found = SourceTopology.Find(_source, this);
            nodes = new NodeImport[found.Count];
            // Before the first of them can say that it has come further than others.
            foreach (SourceNode node in found)
                Progress.Set(node.Address.ToString(), default);
            for (int index = 0; index < nodes.Length; index++)
                nodes[index] = new NodeImport(this, found[index], hasFunctions: index == 0, _woken);
        }
        catch (ImportException fault)
        {
            Note(fault.Message);
            return false;
        }

        lock (_lock)
            _nodes = nodes;
        foreach (NodeImport node in nodes)
            node.Start();
        while (!_isStopped && !Array.Exists(nodes, static node => node.HasBroken)
            && !Array.TrueForAll(nodes, static node => node.IsFinished))
            _woken.WaitOne();
        bool isFinished = Array.TrueForAll(nodes, static node => node.IsFinished);
        foreach (NodeImport node in nodes)
            node.Stop();
        foreach (NodeImport node in nodes)
            node.Dispose();
        hasScanned = Array.TrueForAll(nodes, static node => node.HasScanned);
        return isFinished;
    }

    private void End(ImportState state, string message)
    {
        if (_isStopped)
            return;
        if (state == ImportState.Finished)
            Record.Finish();
        Progress.End(state);
        _engine.Log.Write(LogLevel.Notice, "Import: " + message);
    }
}
