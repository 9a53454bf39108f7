using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Information;

/// <summary>INFO persistence: the snapshots.</summary>
internal static class SaveInfo
{
    /// <summary>Writes its fields. What Redis calls copy on write are the pre-images here.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        RdbSaves saves = engine.Data.Saves;
        SaveStatus status = saves.Status;
        WriteCurrent(text, engine.Data.Snapshots.Current);
        text.Field("rdb_changes_since_last_save"u8, engine.Statistics.ChangeCount - status.SavedChangeCount);
        // One for replicas, without a file, is one of Redis's, too.
        SnapshotJob? current = saves.Current ?? saves.CurrentForReplicas;
        // One that waits for the rest of a cancelled snapshot only has begun for its client.
        bool isBeginning = saves.IsScheduled && engine.Data.Snapshots.Current is null;
        bool isUnderWay =
            current is not null || isBeginning || engine.Replicas.Synchronisation.IsStreaming;
        text.Field("rdb_bgsave_in_progress"u8, isUnderWay ? 1 : 0);
        text.Field("rdb_last_save_time"u8, status.LastSaveS);
        text.Field("rdb_last_bgsave_status"u8, status.IsLastSaved ? "ok"u8 : "err"u8);
        text.Field("rdb_last_bgsave_time_sec"u8, status.LastDurationS);
        text.Field("rdb_current_bgsave_time_sec"u8,
            current is null ? -1 : current.AgeS(engine.Clock));
        text.Field("rdb_saves"u8, status.SaveCount);
        text.Field("rdb_last_cow_size"u8, status.LastPreImageBytes);
    }

    private static void WriteCurrent(InfoText text, SnapshotJob? job)
    {
        long bytes = job?.Snapshot.PreImageBytes ?? 0;
        long keyCount = job?.KeyCount ?? 0;
        long keyTotal = job?.Snapshot.KeyCount ?? 0;
        text.Field("current_cow_peak"u8, bytes);
        text.Field("current_cow_size"u8, bytes);
        text.Field("current_cow_size_age"u8, 0);
        text.Field("current_fork_perc"u8, keyTotal == 0 ? 0.0 : 100.0 * keyCount / keyTotal);
        text.Field("current_save_keys_processed"u8, keyCount);
        text.Field("current_save_keys_total"u8, keyTotal);
    }
}
