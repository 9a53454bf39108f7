using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Information;

/// <summary>INFO: which sections, in which order.</summary>
internal static class InfoCommands
{
    private static readonly (byte[] Name, InfoSections Sections)[] s_names =
    [
        ("server"u8.ToArray(), InfoSections.Server),
        ("clients"u8.ToArray(), InfoSections.Clients),
        ("memory"u8.ToArray(), InfoSections.Memory),
        ("persistence"u8.ToArray(), InfoSections.Persistence),
        ("threads"u8.ToArray(), InfoSections.Threads),
        ("stats"u8.ToArray(), InfoSections.Stats),
        ("replication"u8.ToArray(), InfoSections.Replication),
        ("tls"u8.ToArray(), InfoSections.Tls),
        ("import"u8.ToArray(), InfoSections.Import),
        ("cpu"u8.ToArray(), InfoSections.Cpu),
        ("modules"u8.ToArray(), InfoSections.Modules),
        ("module_list"u8.ToArray(), InfoSections.Modules),
        ("commandstats"u8.ToArray(), InfoSections.CommandStats),
        ("errorstats"u8.ToArray(), InfoSections.ErrorStats),
        ("latencystats"u8.ToArray(), InfoSections.LatencyStats),
        ("cluster"u8.ToArray(), InfoSections.Cluster),
        ("keyspace"u8.ToArray(), InfoSections.Keyspace),
        ("debug"u8.ToArray(), InfoSections.Debug),
        ("keysizes"u8.ToArray(), InfoSections.KeySizes),
        ("default"u8.ToArray(), InfoSections.Default),
        ("all"u8.ToArray(), InfoSections.All),
        ("scriptstats"u8.ToArray(), InfoSections.ScriptStats),
        ("everything"u8.ToArray(), InfoSections.All | InfoSections.ScriptStats),
    ];

    private static readonly (InfoSections Section, Action<InfoText, ServerEngine> Write)[] s_writers =
    [
        (InfoSections.Server, ServerInfo.WriteServer),
        (InfoSections.Clients, ServerInfo.WriteClients),
        (InfoSections.Memory, MemoryInfo.Write),
        (InfoSections.Persistence, ServerInfo.WritePersistence),
        (InfoSections.Threads, StatisticsInfo.WriteThreads),
        (InfoSections.Stats, StatisticsInfo.WriteStats),
        (InfoSections.Replication, ReplicationInfo.Write),
        (InfoSections.Tls, TlsInfo.Write),
        (InfoSections.Import, ImportInfo.Write),
        (InfoSections.Cpu, StatisticsInfo.WriteCpu),
        (InfoSections.Modules, static (text, _) => text.Section("Modules"u8)),
        (InfoSections.CommandStats, StatisticsInfo.WriteCommands),
        (InfoSections.ErrorStats, StatisticsInfo.WriteErrors),
        (InfoSections.LatencyStats, StatisticsInfo.WriteLatencies),
        (InfoSections.Cluster, ServerInfo.WriteCluster),
        (InfoSections.Keyspace, StatisticsInfo.WriteKeyspace),
        (InfoSections.Debug, StatisticsInfo.WriteDebug),
        (InfoSections.ScriptStats, ScriptInfo.Write),
    ];

    /// <summary>INFO [section ...]: unknown names are ignored, as in Redis.</summary>
    public static Outcome Info(SessionExecution execution)
    {
        InfoSections sections = SectionsOf(execution);
        bool needsKeys = (sections & InfoSections.KeySizes) != 0;
        if (needsKeys && execution.MustLeaveLoop(KeySizes.CostNs(execution.Engine)))
            return Outcome.OffLoop;
        using var text = new InfoText();
        foreach ((InfoSections section, Action<InfoText, ServerEngine> write) in s_writers)
        {
            if ((sections & section) != 0)
                write(text, execution.Engine);
        }

        if (needsKeys)
            KeySizes.Write(text, execution);
        execution.Reply.Verbatim("txt"u8, text.Written);
        return Outcome.Done;
    }

    /// <summary>Chooses the stripes that an INFO needs: all for the sizes of keys, else none.</summary>
    public static void ChooseStripes(SessionExecution execution)
    {
        if ((SectionsOf(execution) & InfoSections.KeySizes) != 0)
            execution.UseAllStripes();
        else
            execution.UseStripes(0, 0);
    }

    private static InfoSections SectionsOf(SessionExecution execution)
    {
        var sections = execution.ArgumentCount == 1 ? InfoSections.Default : InfoSections.None;
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            foreach ((byte[] name, InfoSections named) in s_names)
                sections |= execution.Is(index, name) ? named : InfoSections.None;
        }

        bool isWhole = (sections & InfoSections.Default) == InfoSections.Default;
        if (isWhole && execution.Engine.Settings.TlsPort > 0)
            sections |= InfoSections.Tls;
        if (isWhole && execution.Engine.Statistics.Import is not null)
            sections |= InfoSections.Import;
        return sections;
    }
}
