using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>The process: its log, its name, its supervisor, its end.</summary>
internal static class GeneralDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        AddProcess(list);
        AddLog(list);
        AddEngine(list);
        AddLater(list);
        AddNever(list);
    }

    private static void AddProcess(DirectiveList list)
    {
        list.Add(new BooleanDirective("daemonize", false) { Flags = Immutable });
        list.Add(new BooleanDirective("always-show-logo", false) { Flags = Immutable });
        list.Add(new EnumerationDirective("supervised", "no", ["upstart", "systemd", "auto", "no"])
        {
            Flags = Immutable,
        });
        list.Add(new TextDirective("pidfile", "") { Flags = Immutable });
        list.Add(new BooleanDirective("set-proc-title", true) { Flags = Immutable });
        list.Add(new TextDirective("proc-title-template", "{title} {listen-addr} {server-mode}")
        {
            Check = static template => ProcessTitleTemplate.IsValid(template)
                ? null
                : "template format is invalid or contains unknown variables",
        });
        list.Add(new DirectoryDirective { Flags = Protected | NotWhileLoading });
    }

    private static void AddLog(DirectiveList list)
    {
        list.Add(new EnumerationDirective(
            "loglevel", "notice", ["debug", "verbose", "notice", "warning", "nothing"]));
        list.Add(new TextDirective("logfile", "") { Flags = Immutable });
        list.Add(new BooleanDirective("crash-log-enabled", true));
        list.Add(new EnumerationDirective("log-format", "legacy", ["legacy", "logfmt", "json"]));
        list.Add(new EnumerationDirective(
            "log-timestamp-format", "legacy", ["legacy", "iso8601", "milliseconds"]));
        list.Add(new BooleanDirective("hide-user-data-from-log", false),
            static (settings, value) => settings.IsUserDataHidden = value.Number != 0);
        list.Add(new BooleanDirective("syslog-enabled", false) { Flags = Immutable });
        list.Add(new TextDirective("syslog-ident", "redis") { Flags = Immutable });
        list.Add(new EnumerationDirective(
            "syslog-facility",
            "local0",
            ["user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"])
        {
            Flags = Immutable,
        });
    }

    private static void AddEngine(DirectiveList list)
    {
        list.Add(new TextDirective("availability-zone", ""));
        list.Add(new IntegerDirective("databases", 16, 1, int.MaxValue)
            { Flags = Immutable },
            static (settings, value) => settings.Databases = (int)value.Number);
        list.Add(new IntegerDirective("hz", 10, 0, int.MaxValue) { Effective = (1, 500) },
            static (settings, value) => settings.Hz = (int)value.Number);
        list.Add(new IntegerDirective("busy-reply-threshold", 5000, 0, long.MaxValue),
            static (settings, value) => settings.BusyReplyThresholdMs = value.Number,
            alias: "lua-time-limit");
        list.Add(new EnumerationDirective("busy-reply-scope", "keys", ["keys", "server"]),
            static (settings, value) => settings.IsBusyForAll = value.Number == 1);
        list.Add(new MemoryDirective("script-memory-limit", 256L << 20, 0, long.MaxValue,
            isPercentAllowed: false),
            static (settings, value) => settings.ScriptMemoryMax = value.Number);
    }

    private static void AddLater(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        string[] shutdownWords = ["default", "save", "nosave", "now", "force"];
        foreach (string name in (string[])["shutdown-on-sigint", "shutdown-on-sigterm"])
        {
            list.Add(new FlagsDirective(name, shutdownWords)
            {
                Flags = MultipleArguments,
                Check = static bits => (bits & 3) == 3
                    ? "shutdown options SAVE and NOSAVE can't be used simultaneously"
                    : null,
            });
        }
        list.Add(new IntegerDirective("shutdown-timeout", 10, 0, int.MaxValue));
        list.Add(new EnumerationDirective("oom-score-adj", "no", ["no", "yes", "relative", "absolute"]));
        list.Add(new OomScoreDirective { Flags = MultipleArguments });

        list.Section(DirectiveSupport.NoEffectYet, "the process leaves its scheduling as it was started");
        list.Add(new TextDirective("server-cpulist", "") { Flags = Immutable }, alias: "server_cpulist");
        list.Add(new TextDirective("bio-cpulist", "") { Flags = Immutable }, alias: "bio_cpulist");
        list.Add(new TextDirective("aof-rewrite-cpulist", "") { Flags = Immutable },
            alias: "aof_rewrite_cpulist");
        list.Add(new TextDirective("bgsave-cpulist", "") { Flags = Immutable }, alias: "bgsave_cpulist");

        list.Section(DirectiveSupport.Working);
        list.Add(new BooleanDirective("lua-enable-insecure-api", false),
            static (settings, value) => settings.IsInsecureScriptApi = value.Number != 0,
            alias: "lua-enable-deprecated-api");
    }

    private static void AddNever(DirectiveList list)
    {
        list.Section(DirectiveSupport.NeverMeaningful, "texts are compared by their bytes");
        list.Add(new TextDirective("locale-collate", ""));
        list.Section(DirectiveSupport.NeverMeaningful, "a crash is reported in one way");
        list.Add(new BooleanDirective("crash-memcheck-enabled", true));
        list.Add(new BooleanDirective("use-exit-on-panic", false) { Flags = Hidden });
        list.Add(new IntegerDirective("watchdog-period", 0, 0, int.MaxValue) { Flags = Hidden });
        list.Add(new BooleanDirective("debug-assert-enabled", false) { Flags = Immutable | Hidden },
            alias: "enable-debug-assert");
        list.Add(new TextDirective("debug-context", "") { Flags = Hidden });
        list.Section(DirectiveSupport.NeverMeaningful, "no warning stops this server that it could suppress");
        list.Add(new TextDirective("ignore-warnings", ""));
        list.Section(DirectiveSupport.NeverMeaningful, "this server always names itself as Redis does");
        list.Add(new BooleanDirective("extended-redis-compatibility", false));
        list.Section(DirectiveSupport.NeverMeaningful,
            "clients are looked after at the same rate however many there are");
        list.Add(new BooleanDirective("dynamic-hz", true));
        list.Section(DirectiveSupport.NeverMeaningful, "the table grows by segments and never rehashes");
        list.Add(new BooleanDirective("activerehashing", true));
        list.Section(DirectiveSupport.NeverMeaningful,
            "the seed of the hashes is secret, and new at every start");
        list.Add(new TextDirective("hash-seed", "") { Flags = Immutable | Hidden });
    }
}
