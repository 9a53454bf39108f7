// MIGRATE moves keys: the target gets them by RESTORE, and when it has confirmed one, that is removed here.
// The keys are held all the while, so that no other client sees them in both places or changes them between;
// nothing else waits, for the command runs off the loop. Sent are the commands for all keys at once, then all
// replies are read.
//
// A connection that fails before any key was moved may be one that the target has closed meanwhile: the
// command begins again with a new one, once, unless the time is up.

using System.Net.Sockets;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Durability;

/// <summary>MIGRATE.</summary>
internal static class MigrateCommands
{
    private const long NetworkNs = 1_000_000_000;
    private const long NsPerMs = 1_000_000;

    /// <summary>MIGRATE host port key|"" destination-db timeout [COPY] [REPLACE] [AUTH password |
    /// AUTH2 username password] [KEYS key [key ...]].</summary>
    public static Outcome Migrate(SessionExecution execution)
    {
        if (MigrateRequest.Read(execution) is not { } request)
            return Outcome.Done;
        int[] keys = KeysThere(execution, request);
        if (keys.Length == 0)
        {
            execution.Reply.SimpleString("NOKEY"u8);
            return Outcome.Done;
        }

        if (execution.MustLeaveLoop(NetworkNs))
            return Outcome.OffLoop;
        try
        {
            using var migration = new Migration(execution, request, keys);
            migration.Check();
            if (!TryRun(execution, migration, request, mayRetry: true))
                TryRun(execution, migration, request, mayRetry: false);
        }
        catch (RdbInexpressibleException lack)
        {
            execution.Reply.Error(Encoding.UTF8.GetBytes("ERR " + lack.Message));
        }

        return Outcome.Done;
    }

    // The arguments that name keys which are there.
    private static int[] KeysThere(SessionExecution execution, MigrateRequest request)
    {
        List<int> there = [];
        for (int index = request.KeyFirst; index < request.KeyFirst + request.KeyCount; index++)
        {
            if (!execution.Keys.Find(execution.HashedKey(index)).IsMissing)
                there.Add(index);
        }

        return [.. there];
    }

    // False: it is to be tried again with another connection.
    private static bool TryRun(
        SessionExecution execution, Migration migration, MigrateRequest request, bool mayRetry)
    {
        MigrateLinks links = execution.Engine.Data.Migrations;
        MigrateLink? link = links.TryTake(MigrateLink.PlaceOf(request.Host, request.Port));
        try
        {
            link ??= MigrateLink.Connect(request.Host, request.Port, request.TimeoutMs);
        }
        catch (Exception fault) when (fault is SocketException or ArgumentException)
        {
            // Redis takes a refused connection for one that it has, and fails at the first write.
            execution.Reply.Error(fault is SocketException { SocketErrorCode: SocketError.ConnectionRefused }
                ? "IOERR error or timeout writing to target instance"u8
                : "IOERR error or timeout connecting to the client"u8);
            return true;
        }

        bool isWriting = true;
        try
        {
            link.SetTimeout(request.TimeoutMs);
            migration.Send(link);
            isWriting = false;
            migration.Receive(link);
        }
        catch (SocketException fault)
        {
            link.Dispose();
            if (mayRetry && !migration.HasMoved && fault.SocketErrorCode != SocketError.TimedOut)
                return false;
            migration.Record();
            execution.Reply.Error("IOERR error or timeout "u8, isWriting ? "writing"u8 : "reading"u8,
                " to target instance"u8);
            return true;
        }

        links.Return(link, execution.Engine.Clock.MonotonicNanoseconds / NsPerMs);
        migration.Record();
        if (migration.Refusal is { } refusal)
            execution.Reply.Error("ERR Target instance replied with error: "u8, refusal, default);
        else
            execution.Reply.Ok();
        return true;
    }
}
