using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Statistics;

namespace Cinnabar.Engine.Information;

/// <summary>INFO import.</summary>
internal static class ImportInfo
{
    private const long UsPerMs = 1000;

    /// <summary>Writes the section.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        if (engine.Statistics.Import is not { } progress)
            return;
        ImportProgress.Node node = progress.Sum(out int nodeCount);
        bool isFinishing = progress.State == ImportState.Finishing && node.State >= ImportState.Following;
        ImportState state = isFinishing || progress.State > ImportState.Finishing
            ? progress.State : node.State;
        text.Section("Import"u8);
        text.Field("import_source"u8, progress.Source);
        text.Field("import_state"u8, Name(state));
        text.Field("import_masters"u8, nodeCount);
        text.Field("import_keys_total"u8, node.Total);
        text.Field("import_keys_scanned"u8, node.Scanned);
        text.Field("import_keys_copied"u8, progress.Copied);
        text.Field("import_keys_deleted"u8, progress.Deleted);
        text.Field("import_keys_skipped"u8, progress.Skipped);
        text.Field("import_scans_completed"u8, progress.Scans);
        text.Field("import_events_received"u8, progress.Events);
        text.Field("import_keys_pending"u8, node.Pending);
        text.Field("import_lag_ms"u8, node.SyncedMs == 0 ? -1
            : Math.Max(0, (engine.Clock.UnixMicroseconds / UsPerMs) - node.SyncedMs));
        text.Field("import_samples_checked"u8, progress.Checked);
        text.Field("import_samples_repaired"u8, progress.Repaired);
        text.Field("import_samples_differing"u8, progress.Differing);
        text.Field("import_last_error"u8, progress.LastError);
    }

    private static ReadOnlySpan<byte> Name(ImportState state) => state switch
    {
        ImportState.Connecting => "connecting"u8,
        ImportState.Scanning => "scanning"u8,
        ImportState.Following => "following"u8,
        ImportState.Finishing => "finishing"u8,
        ImportState.Finished => "finished"u8,
        _ => "incomplete"u8,
    };
}
