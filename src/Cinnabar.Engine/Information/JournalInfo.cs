using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Replies;
using Cinnabar.Persistence.Journal;

namespace Cinnabar.Engine.Information;

/// <summary>What INFO persistence says of the append-only file.</summary>
internal static class JournalInfo
{
    private const long UsPerS = 1_000_000;

    /// <summary>The fields that are always there.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        JournalRewrites rewrites = engine.Data.Rewrites;
        RewriteStatus status = rewrites.Status;
        long startedUs = rewrites.StartedUs;
        bool isAboutToBegin = engine.Data.AppendOnly.IsWanted && !engine.Data.Journal.IsOn;
        bool isWaiting = isAboutToBegin && startedUs == 0 && engine.Data.Snapshots.IsBusy;
        text.Field("aof_enabled"u8, engine.Data.AppendOnly.IsWanted ? 1 : 0);
        text.Field("aof_rewrite_in_progress"u8, startedUs != 0 || (isAboutToBegin && !isWaiting) ? 1 : 0);
        text.Field("aof_rewrite_scheduled"u8, rewrites.IsScheduled || isWaiting ? 1 : 0);
        text.Field("aof_last_rewrite_time_sec"u8, status.LastDurationS);
        text.Field("aof_current_rewrite_time_sec"u8,
            startedUs == 0 ? -1 : (engine.Clock.UnixMicroseconds - startedUs) / UsPerS);
        text.Field("aof_last_bgrewrite_status"u8, status.IsLastRewritten ? "ok"u8 : "err"u8);
        text.Field("aof_rewrites"u8, status.RewriteCount);
        text.Field("aof_rewrites_consecutive_failures"u8, status.FailureCount);
        text.Field("aof_last_write_status"u8, engine.Data.Journal.Error is null ? "ok"u8 : "err"u8);
        text.Field("aof_last_cow_size"u8, status.LastPreImageBytes);
    }

    /// <summary>The fields of one that is on.</summary>
    public static void WriteSizes(InfoText text, ServerEngine engine)
    {
        ServerJournal journal = engine.Data.Journal;
        if (!journal.IsOn || journal.Writer is not { } writer)
            return;
        AppendOnlyFile file = engine.Data.AppendOnly;
        text.Field("aof_current_size"u8, file.CurrentBytes);
        text.Field("aof_base_size"u8, file.BaseBytes);
        text.Field("aof_pending_rewrite"u8, engine.Data.Rewrites.IsScheduled ? 1 : 0);
        text.Field("aof_buffer_length"u8, writer.PendingBytes);
        text.Field("aof_pending_bio_fsync"u8, writer.IsFlushing && writer.Policy != AofFsync.Always ? 1 : 0);
        text.Field("aof_delayed_fsync"u8, writer.DelayedFsyncCount);
    }
}
