using Cinnabar.Engine.Replication.Links;
using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Information;

/// <summary>INFO of a replica: its master and the link.</summary>
internal static class ReplicaInfo
{
    private const long NsPerS = 1_000_000_000;

    /// <summary>The fields of INFO's section replication that only a replica has.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        ReplicaRole role = engine.Replica;
        MasterLink? link = role.Link;
        LinkState state = link?.State ?? LinkState.Waiting;
        long offset = role.Offset;
        text.Field("master_host"u8, role.Master?.Host ?? "");
        text.Field("master_port"u8, role.Master?.Port ?? 0);
        text.Field("master_link_status"u8, state == LinkState.Connected ? "up"u8 : "down"u8);
        text.Field("master_last_io_seconds_ago"u8,
            state == LinkState.Connected ? link!.IdleSeconds : -1);
        text.Field("master_sync_in_progress"u8, state == LinkState.Transfer ? 1 : 0);
        text.Field("slave_read_repl_offset"u8, offset + (link?.HeldBytes ?? 0));
        text.Field("slave_repl_offset"u8, offset);
        if (state == LinkState.Transfer)
            WriteTransfer(text, link!);
        if (state != LinkState.Connected)
        {
            text.Field("master_link_down_since_seconds"u8, link is null ? -1
                : (engine.Clock.MonotonicNanoseconds - link.DownSinceNs) / NsPerS);
        }

        text.Field("slave_priority"u8, engine.Configuration.NumberOf("replica-priority"));
        text.Field("slave_read_only"u8, engine.Configuration.NumberOf("replica-read-only"));
        text.Field("replica_announced"u8, engine.Configuration.NumberOf("replica-announced"));
    }

    private static void WriteTransfer(InfoText text, MasterLink link)
    {
        PayloadFraming? payload = link.Transfer?.Payload;
        long total = payload is { IsMarked: false } ? payload.Length : -1;
        long read = payload?.TakenCount ?? 0;
        text.Field("master_sync_total_bytes"u8, Math.Max(0, total));
        text.Field("master_sync_read_bytes"u8, read);
        text.Field("master_sync_left_bytes"u8, total < 0 ? -1 : total - read);
        text.Field("master_sync_perc"u8, (total > 0 ? 100.0 * read / total : 0)
            .ToString("F2", CultureInfo.InvariantCulture));
        text.Field("master_sync_last_io_seconds_ago"u8, link.IdleSeconds);
    }
}
