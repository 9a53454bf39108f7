using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Persistence.Rdb.Writing;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>RDB and AOF.</summary>
internal static class PersistenceDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        AddSnapshots(list);
        AddWriting(list);
        AddJournal(list);
    }

    private static void AddSnapshots(DirectiveList list)
    {
        AddLoading(list);
        list.Section(DirectiveSupport.Working);
        list.Add(new SaveDirective { Flags = MultipleArguments });
        list.Add(new BooleanDirective("rdb-save-incremental-fsync", true));
        list.Add(new BooleanDirective("stop-writes-on-bgsave-error", true));
        list.Add(new IntegerDirective("rdb-key-save-delay", 0, int.MinValue, int.MaxValue)
        {
            Flags = Hidden,
        });
        list.Add(new BooleanDirective("rdb-del-sync-files", false));
    }

    private static void AddLoading(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new TextDirective("dbfilename", "dump.rdb")
        {
            Flags = Protected,
            Check = static name => CheckFileName(name, "dbfilename can't be a path, just a filename"),
        });
        list.Add(new TextDirective("save-cron", "")
        {
            Check = static text => text.Length == 0 || CronSchedule.Parse(text) is not null
                ? null
                : "save-cron must have five fields: minute, hour, day, month, weekday",
        });
        list.Add(new IntegerDirective("snapshot-keep", 0, 0, int.MaxValue));
        list.Add(new BooleanDirective("rdbchecksum", true) { Flags = Immutable });
        list.Add(new EnumerationDirective("rdb-version-check", "strict", ["strict", "relaxed"]));
        list.Add(new BooleanDirective("rdb-skip-module-keys", false));
        list.Add(new EnumerationDirective("sanitize-dump-payload", "no", ["no", "yes", "clients"]));
        list.Add(new IntegerDirective("key-load-delay", 0, int.MinValue, int.MaxValue) { Flags = Hidden });
        list.Add(new IntegerDirective("loading-process-events-interval-bytes", 2 << 20, 1024, int.MaxValue)
        {
            Flags = Hidden,
        });
    }

    private static void AddWriting(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new BooleanDirective("rdbcompression", true));
        list.Add(new EnumerationDirective("rdb-compatibility", "7.4", RdbCompatibilityNames.All)
        {
            Flags = Hidden,
        });
    }

    private static void AddJournal(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new BooleanDirective("appendonly", false));
        list.Add(new TextDirective("appendfilename", "appendonly.aof")
        {
            Flags = Immutable,
            Check = static name => name.Length == 0
                ? "appendfilename can't be empty"
                : CheckFileName(name, "appendfilename can't be a path, just a filename"),
        });
        list.Add(new TextDirective("appenddirname", "appendonlydir")
        {
            Flags = Immutable,
            Check = static name => name.Length == 0
                ? "appenddirname can't be empty"
                : CheckFileName(name, "appenddirname can't be a path, just a dirname"),
        });
        list.Add(new EnumerationDirective("appendfsync", "everysec", ["everysec", "always", "no"]));
        list.Add(new BooleanDirective("no-appendfsync-on-rewrite", false));
        list.Add(new IntegerDirective("auto-aof-rewrite-percentage", 100, 0, int.MaxValue));
        list.Add(new MemoryDirective("auto-aof-rewrite-min-size", 64L << 20, 0, long.MaxValue, false));
        list.Add(new BooleanDirective("aof-load-truncated", true));
        list.Add(new MemoryDirective("aof-load-corrupt-tail-max-size", 0, 0, long.MaxValue, false));
        list.Add(new BooleanDirective("aof-timestamp-enabled", false));
        list.Add(new BooleanDirective("aof-disable-auto-gc", false));
        list.Add(new BooleanDirective("aof-use-rdb-preamble", true));
        list.Add(new BooleanDirective("aof-rewrite-incremental-fsync", true));
    }

    private static string? CheckFileName(string name, string error) =>
        name.AsSpan().IndexOfAny('/', '\\') >= 0 ? error : null;
}
