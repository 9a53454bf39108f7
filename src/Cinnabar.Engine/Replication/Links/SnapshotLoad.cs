// A master's data take the place of the server's own, in one of two ways:
//
//   Replace   the server is emptied, and they are loaded in its place. Commands are refused with -LOADING
//   Swap      they are loaded into the key space's reserve, beside the server's own data, which clients may
//             read meanwhile where they are of the same history (async_loading); then both change places at
//             one moment. A load that fails changes nothing
//
// The moment at which the own data go is one unit of the applier's. What is recorded of them ends there.

using System.IO;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Keyspace;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Loads a master's data.</summary>
/// <param name="server">The server.</param>
/// <param name="role">Keeps which history the data are of.</param>
/// <param name="applier">Runs what needs all stripes.</param>
internal sealed class SnapshotLoad(IReplicaServer server, ReplicaRole role, StreamApplier applier)
{
    private readonly IReplicaServer _server = server;
    private readonly ReplicaRole _role = role;
    private readonly StreamApplier _applier = applier;
    private readonly DataLoading _loading = server.Data.Loading;

    /// <summary>Whether the server has keys.</summary>
    public bool HasOwnKeys
    {
        get
        {
            for (int database = 0; database < _server.Keyspace.DatabaseCount; database++)
            {
                if (_server.Keyspace.Count(database) > 0)
                    return true;
            }

            return false;
        }
    }

    /// <summary>Loads them in the place of the server's own. Where that fails, the server is empty.</summary>
    /// <param name="file">The data.</param>
    /// <param name="path">Their name in the log.</param>
    /// <param name="check">Called when they are loaded: throws where they are not whole.</param>
    /// <exception cref="LinkException">They do not come.</exception>
    /// <exception cref="RdbFormatException">They are damaged.</exception>
    /// <exception cref="IOException">They cannot be read.</exception>
    public void Replace(StoredFile file, string path, Action check)
    {
        Log("MASTER <-> REPLICA sync: Flushing old data");
        _loading.Shut(ServerGates.Loading);
        try
        {
            _applier.RunHoldingAll(Empty);
            Log("MASTER <-> REPLICA sync: Loading DB in memory");
            // The master says when a key ends.
            _loading.LoadFromMaster(file, path, new DataLoadOptions { KeepsExpired = true });
            check();
        }
        catch (Exception fault) when (fault is not OperationCanceledException)
        {
            _applier.RunHoldingAll(Empty);
            throw;
        }
        finally
        {
            _loading.Open();
        }
    }

    /// <summary>Loads them beside the server's own, and then puts them in their place.</summary>
    /// <param name="file">The data.</param>
    /// <param name="isServing">Whether clients read the server's own data meanwhile.</param>
    /// <param name="check">Called when they are loaded: throws where they are not wanted.</param>
    /// <exception cref="LinkException">They do not come.</exception>
    /// <exception cref="RdbFormatException">They are damaged.</exception>
    public void Swap(StoredFile file, bool isServing, Action check)
    {
        Log("MASTER <-> REPLICA sync: Loading DB in memory");
        _loading.Shut(isServing ? ServerGates.AsyncLoading : ServerGates.Loading);
        try
        {
            List<FunctionLibrary> libraries = [];
            _loading.LoadFromMaster(
                file, "", new DataLoadOptions { KeepsExpired = true, Libraries = libraries });
            check();
            Log("MASTER <-> REPLICA sync: Swapping active DB with loaded DB");
            _applier.RunHoldingAll(execution => Adopt(execution, libraries));
            Log("MASTER <-> REPLICA sync: Discarding old DB in background");
        }
        catch
        {
            Log("MASTER <-> REPLICA sync: Discarding temporary DB in background");
            throw;
        }
        finally
        {
            KeyspaceReserve.Drop(_server.Keyspace);
            _loading.Open();
        }
    }

    private void Empty(SessionExecution execution)
    {
        EndRecords();
        execution.Keys.Empty(isLazy: _server.Configuration.NumberOf("replica-lazy-flush") != 0);
        _server.Libraries.Clear();
    }

    private void Adopt(SessionExecution execution, List<FunctionLibrary> libraries)
    {
        EndRecords();
        KeyspaceReserve.Adopt(execution.Keys);
        _server.Libraries.Restore(libraries, RestorePolicy.Flush);
    }

    private void EndRecords()
    {
        _role.Forget();
        _server.Data.Rewrites.Suspend();
    }

    private void Log(string message) => _server.Log.Write(LogLevel.Notice, message);
}
