// A full synchronisation. By default the master's data go to a file, which is flushed and takes the name of
// the server's own snapshot; then it is loaded on all cores. With repl-diskless-load they are loaded while
// they come (PayloadFile), without a file. Nothing is emptied for data that the server cannot read.

using System.IO;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Receives and loads the data of a master.</summary>
/// <param name="server">The server.</param>
/// <param name="link">Whose master it is.</param>
internal sealed class SnapshotTransfer(IReplicaServer server, MasterLink link)
{
    private const int KeepAliveMs = 1000;
    private const int PieceMax = 1 << 20;

    private readonly IReplicaServer _server = server;
    private readonly MasterLink _link = link;
    private readonly DataFiles _data = server.Data;

    /// <summary>The data; null: they have not begun.</summary>
    public PayloadFraming? Payload { get; private set; }

    /// <summary>Receives and loads them.</summary>
    /// <param name="connection">The connection to the master.</param>
    /// <param name="load">Puts them in the place of the server's own.</param>
    /// <param name="historyId">Which history they are of.</param>
    /// <exception cref="LinkException">They do not come, or cannot be read.</exception>
    public void Run(MasterConnection connection, SnapshotLoad load, string historyId)
    {
        Payload = _link.AwaitLine(connection, static line => line.Length == 0 ? null
            : PayloadFraming.TryParse(line)
                ?? throw new LinkException("Bad protocol from MASTER, the first byte is not '$' (we received "
                    + $"'{line}'), are you sure the host and port are right?"));
        bool isRefusingEmpty =
            _server.Configuration.NumberOf("replica-refuse-empty-master") != 0 && load.HasOwnKeys;
        bool isToDisk = _server.Configuration.TextOf("repl-diskless-load") switch
        {
            "disabled" => true,
            "on-empty-db" => load.HasOwnKeys,
            "swapdb" => false,
            // Nothing is flushed before a key has come.
            _ => isRefusingEmpty,
        };
        (string from, string to) = isToDisk ? ("disk", "disk") : ("socket", "parser");
        Log(LogLevel.Notice, Payload.IsMarked
            ? $"MASTER <-> REPLICA sync: receiving streamed RDB from master with EOF to {to}"
            : $"MASTER <-> REPLICA sync: receiving {Payload.Length} bytes from master to {to}");
        try
        {
            if (isToDisk)
                LoadStored(connection, load, isRefusingEmpty);
            else
                LoadStreamed(connection, load, isRefusingEmpty, isServing: historyId == _link.Role.HistoryId);
        }
        catch (Exception fault) when (
            fault is RdbFormatException or IOException or UnauthorizedAccessException)
        {
            LoadFailures.Write(_server.Log, _data.SnapshotPath, fault);
            throw new LinkException($"Failed trying to load the MASTER synchronization DB from {from}, check "
                + "server logs.");
        }

        _data.Rewrites.Resume();
        Log(LogLevel.Notice, "MASTER <-> REPLICA sync: Finished with success");
    }

    private void LoadStored(MasterConnection connection, SnapshotLoad load, bool isRefusingEmpty)
    {
        string path = Receive(connection, isRefusingEmpty);
        try
        {
            using StoredFile file = _data.Files.Open(path, FileUse.Read);
            using Timer keepAlive = BeginKeepAlive(connection);
            load.Replace(file, path, static () => { });
        }
        finally
        {
            _data.SynchronisationFiles.Remove(path,
                "Removing the RDB file obtained from the master. This replica has persistence disabled");
        }
    }

    private void LoadStreamed(
        MasterConnection connection, SnapshotLoad load, bool isRefusingEmpty, bool isServing)
    {
        using var stream = new PayloadFile(_link, connection, Payload!);
        Span<byte> header = stackalloc byte[RdbVersion.HeaderSize];
        CheckHeader(header[..stream.Peek(header)]);
        using Timer keepAlive = BeginKeepAlive(connection);
        if (_server.Configuration.TextOf("repl-diskless-load") != "swapdb")
        {
            load.Replace(stream, _data.SnapshotPath, stream.ReadEnd);
            return;
        }

        load.Swap(stream, isServing, () =>
        {
            stream.ReadEnd();
            if (isRefusingEmpty && _data.Loading.KeysLoaded == 0)
                throw EmptyMaster();
        });
    }

    private string Receive(MasterConnection connection, bool isRefusingEmpty)
    {
        long nowS = _server.Clock.UnixMicroseconds / 1_000_000;
        var place = new RdbFilePlace(_data.Directory,
            string.Create(CultureInfo.InvariantCulture, $"temp-{nowS}.{Environment.ProcessId}.rdb"),
            Path.GetFileName(_data.SnapshotPath));
        var placed = new PlacedFile(_data.Files, place);
        try
        {
            StoredFile file = placed.Create();
            while (!Payload!.IsOver)
                Write(file, connection);
            Check(place.TemporaryPath, isRefusingEmpty);
            placed.Commit();
            return place.Path;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw new LinkException("Write error or short write writing to the DB dump file needed for "
                + $"MASTER <-> REPLICA synchronization: {fault.Message}");
        }
        finally
        {
            placed.Discard();
        }
    }

    private unsafe void Write(StoredFile file, MasterConnection connection)
    {
        if (connection.HeldCount == 0)
            _link.Receive(connection);
        // SAFETY: the held bytes lie in the connection's buffer until they are consumed.
        var held = new ReadOnlySpan<byte>(connection.Held, (int)Math.Min(connection.HeldCount, PieceMax));
        int count = Payload!.Take(held, PieceMax, out int consumedCount);
        file.Write(held[..count]);
        connection.Consume(consumedCount);
        if (consumedCount == 0)
            _link.Receive(connection);
    }

    private void Check(string path, bool isRefusingEmpty)
    {
        Span<byte> header = stackalloc byte[RdbVersion.HeaderSize];
        using StoredFile file = _data.Files.Open(path, FileUse.Read);
        CheckHeader(header[..file.Read(0, header)]);
        bool isRelaxed = _data.Reading.IsVersionRelaxed;
        if (isRefusingEmpty
            && !RdbKeyFinder.HasKeys(file, new RdbReadOptions { NowMs = 0, IsVersionRelaxed = isRelaxed }))
            throw EmptyMaster();
    }

    private void CheckHeader(ReadOnlySpan<byte> header)
    {
        if (!RdbVersion.TryParse(header, out RdbVersion version))
            throw new LinkException("Wrong signature in the data of the MASTER: they are not loaded");
        if (!version.IsRead(_data.Reading.IsVersionRelaxed))
            throw new LinkException($"Can't handle RDB format version {version.Number} of the MASTER");
    }

    private static LinkException EmptyMaster() => new(
        "The MASTER has no keys: this replica keeps its own (replica-refuse-empty-master)");

    private static Timer BeginKeepAlive(MasterConnection connection) =>
        new(_ => SendKeepAlive(connection), null, KeepAliveMs, KeepAliveMs);

    // So that the master does not take the replica for dead while it loads.
    private static void SendKeepAlive(MasterConnection connection)
    {
        try
        {
            connection.Send("\n"u8, KeepAliveMs);
        }
        catch (LinkException)
        {
            // The link's thread finds the connection broken when it reads next.
        }
    }

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}
