// A full synchronisation: the master's data go to a file, which is flushed and takes the name of the server's
// own snapshot; then it is looked at, the server is emptied, and it is loaded on all cores. Nothing is
// emptied for data that the server cannot read.

using System.IO;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Rdb;
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
    /// <exception cref="LinkException">They do not come, or cannot be read.</exception>
    public void Run(MasterConnection connection, StreamApplier applier)
    {
        string path = Receive(connection);
        using var keepAlive = new Timer(_ => SendKeepAlive(connection), null, KeepAliveMs, KeepAliveMs);
        try
        {
            Log(LogLevel.Notice, "MASTER <-> REPLICA sync: Flushing old data");
            _data.Loading.LoadFromMaster(path, () =>
            {
                applier.RunHoldingAll(Empty);
                Log(LogLevel.Notice, "MASTER <-> REPLICA sync: Loading DB in memory");
            });
        }
        catch (Exception fault) when (
            fault is RdbFormatException or IOException or UnauthorizedAccessException)
        {
            _data.Loading.LogFailure(path, fault);
            applier.RunHoldingAll(Empty);
            throw new LinkException("Failed trying to load the MASTER synchronization DB from disk, check "
                + "server logs.");
        }

        _data.Rewrites.Resume();
        Log(LogLevel.Notice, "MASTER <-> REPLICA sync: Finished with success");
    }

    private string Receive(MasterConnection connection)
    {
        Payload = _link.AwaitLine(connection, static line => line.Length == 0 ? null
            : PayloadFraming.TryParse(line)
                ?? throw new LinkException("Bad protocol from MASTER, the first byte is not '$' (we received "
                    + $"'{line}'), are you sure the host and port are right?"));
        Log(LogLevel.Notice, Payload.IsMarked
            ? "MASTER <-> REPLICA sync: receiving streamed RDB from master with EOF to disk"
            : $"MASTER <-> REPLICA sync: receiving {Payload.Length} bytes from master to disk");
        long nowS = _server.Clock.UnixMicroseconds / 1_000_000;
        var place = new RdbFilePlace(_data.Directory,
            string.Create(CultureInfo.InvariantCulture, $"temp-{nowS}.{Environment.ProcessId}.rdb"),
            Path.GetFileName(_data.SnapshotPath));
        var placed = new PlacedFile(_data.Files, place);
        try
        {
            StoredFile file = placed.Create();
            while (!Payload.IsOver)
                Write(file, connection);
            Check(place.TemporaryPath);
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
        int count = Payload!.Take(held, out int consumedCount);
        file.Write(held[..count]);
        connection.Consume(consumedCount);
        if (consumedCount == 0)
            _link.Receive(connection);
    }

    private void Check(string path)
    {
        Span<byte> header = stackalloc byte[RdbVersion.HeaderSize];
        using StoredFile file = _data.Files.Open(path, FileUse.Read);
        int count = file.Read(0, header);
        if (!RdbVersion.TryParse(header[..count], out RdbVersion version))
            throw new LinkException("Wrong signature in the data of the MASTER: they are not loaded");
        if (!version.IsRead(_data.Reading.IsVersionRelaxed))
            throw new LinkException($"Can't handle RDB format version {version.Number} of the MASTER");
    }

    private void Empty(Executions.SessionExecution execution)
    {
        _link.Role.Forget();
        _data.Rewrites.Suspend();
        execution.Keys.Empty();
        _server.Libraries.Clear();
    }

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
