using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Replies;
using Cinnabar.Persistence.Journal;

namespace Cinnabar.Engine.Information;

/// <summary>What INFO persistence says of the append-only file.</summary>
internal static class JournalInfo
{
    /// <summary>The fields that are always there.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        JournalRewrites rewrites = engine.Data.Rewrites;
        RewriteStatus status = rewrites.Status;
        bool isWaiting = IsWaiting(engine);
        bool isBeginning = IsAboutToBegin(engine) && !isWaiting;
        text.Field("aof_enabled"u8, engine.Data.AppendOnly.IsWanted ? 1 : 0);
        text.Field("aof_rewrite_in_progress"u8, rewrites.IsUnderWay || isBeginning ? 1 : 0);
        text.Field("aof_rewrite_scheduled"u8, rewrites.IsScheduled || isWaiting ? 1 : 0);
        text.Field("aof_last_rewrite_time_sec"u8, status.LastDurationS);
        text.Field("aof_current_rewrite_time_sec"u8, rewrites.AgeS);
        text.Field("aof_last_bgrewrite_status"u8, status.IsLastRewritten ? "ok"u8 : "err"u8);
        text.Field("aof_rewrites"u8, status.RewriteCount);
        text.Field("aof_rewrites_consecutive_failures"u8, status.FailureCount);
        text.Field("aof_last_write_status"u8, engine.Data.Journal.Error is null ? "ok"u8 : "err"u8);
        text.Field("aof_last_cow_size"u8, status.LastPreImageBytes);
    }

    /// <summary>The fields of one that is switched on; nothing is in it before its first rewrite
    /// begins.</summary>
    public static void WriteSizes(InfoText text, ServerEngine engine)
    {
        AppendOnlyFile file = engine.Data.AppendOnly;
        if (!file.IsWanted)
            return;
        JournalRewrites rewrites = engine.Data.Rewrites;
        AofWriter? writer = engine.Data.Journal is { IsOn: true } journal ? journal.Writer : null;
        bool isFlushing = writer is { IsFlushing: true, Policy: not AofFsync.Always };
        text.Field("aof_current_size"u8, writer is null ? 0 : file.CurrentBytes);
        text.Field("aof_base_size"u8, writer is null ? 0 : file.BaseBytes);
        text.Field("aof_pending_rewrite"u8, rewrites.IsScheduled || IsWaiting(engine) ? 1 : 0);
        text.Field("aof_buffer_length"u8, writer?.PendingBytes ?? 0);
        text.Field("aof_pending_bio_fsync"u8, isFlushing ? 1 : 0);
        text.Field("aof_delayed_fsync"u8, writer?.DelayedFsyncCount ?? 0);
    }

    // Switched on, and neither open nor with a first rewrite under way.
    private static bool IsAboutToBegin(ServerEngine engine)
    {
        DataFiles data = engine.Data;
        return data.AppendOnly.IsWanted && !data.Journal.IsOn && !data.Loading.IsOfAppendOnlyFile
            && !data.Rewrites.IsUnderWay;
    }

    private static bool IsWaiting(ServerEngine engine) =>
        IsAboutToBegin(engine) && engine.Data.Snapshots.IsBusy;
}
