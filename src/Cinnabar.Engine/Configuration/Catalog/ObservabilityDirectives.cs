using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>Command logs, latency, events.</summary>
internal static class ObservabilityDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        AddCommandLogs(list);
        list.Add(new IntegerDirective("latency-monitor-threshold", 0, 0, long.MaxValue),
            static (settings, value) => settings.LatencyMonitorThresholdMs = value.Number);
        list.Add(new BooleanDirective("latency-tracking", true),
            static (settings, value) => settings.IsLatencyTracked = value.Number != 0);
        list.Add(new PercentilesDirective() { Flags = MultipleArguments },
            static (settings, value) =>
                settings.LatencyPercentiles = PercentilesDirective.Decode(value.Text));
        list.Add(new KeyspaceEventsDirective(),
            static (settings, value) => settings.KeyspaceEvents = (KeyspaceEvents)value.Number);
        list.Add(new IntegerDirective("tracking-table-max-keys", 1_000_000, 0, long.MaxValue),
            static (settings, value) => settings.TrackedKeysMax = value.Number);

        list.Section(DirectiveSupport.NoEffectYet, "histograms of key sizes are not built yet");
        list.Add(new BooleanDirective("key-memory-histograms", false));
    }

    private static void AddCommandLogs(DirectiveList list)
    {
        list.Add(new IntegerDirective("slowlog-log-slower-than", 10000, -1, long.MaxValue),
            static (settings, value) => settings.SlowLogThresholdUs = value.Number,
            alias: "commandlog-execution-slower-than");
        list.Add(new IntegerDirective("slowlog-max-len", 128, 0, long.MaxValue),
            static (settings, value) => settings.SlowLogLengthMax = value.Number,
            alias: "commandlog-slow-execution-max-len");
        list.Add(new IntegerDirective("slowlog-entry-max-argc", 32, 2, int.MaxValue),
            static (settings, value) => settings.LogEntryArgumentsMax = (int)value.Number);
        list.Add(new IntegerDirective("slowlog-entry-max-string-len", 128, 1, int.MaxValue),
            static (settings, value) => settings.LogEntryArgumentBytesMax = (int)value.Number);
        list.Add(new IntegerDirective("commandlog-request-larger-than", 1 << 20, -1, long.MaxValue),
            static (settings, value) => settings.LargeRequestThresholdBytes = value.Number);
        list.Add(new IntegerDirective("commandlog-large-request-max-len", 128, 0, long.MaxValue),
            static (settings, value) => settings.LargeRequestLengthMax = value.Number);
        list.Add(new IntegerDirective("commandlog-reply-larger-than", 1 << 20, -1, long.MaxValue),
            static (settings, value) => settings.LargeReplyThresholdBytes = value.Number);
        list.Add(new IntegerDirective("commandlog-large-reply-max-len", 128, 0, long.MaxValue),
            static (settings, value) => settings.LargeReplyLengthMax = value.Number);
    }
}
