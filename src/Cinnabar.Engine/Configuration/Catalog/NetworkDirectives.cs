using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>Where clients come in, and what each of them may use.</summary>
internal static class NetworkDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        AddListeners(list);
        AddClients(list);
        AddLater(list);
        AddNever(list);
    }

    private static void AddListeners(DirectiveList list)
    {
        list.Add(new WordListDirective("bind", "* -::*", 16, "Too many bind addresses specified.")
            { Flags = MultipleArguments },
            static (settings, value) => settings.Bind = Settings.Words(value.Text));
        list.Add(new IntegerDirective("port", 6379, 0, 65535),
            static (settings, value) => settings.Port = (int)value.Number);
        list.Add(new TextDirective("unixsocket", "") { Flags = Immutable },
            static (settings, value) => settings.UnixSocket = ConfigurationText.ToPath(value.Text));
        list.Add(new IntegerDirective("unixsocketperm", 0, 0, 511, isOctal: true) { Flags = Immutable },
            static (settings, value) => settings.UnixSocketPermissions = (int)value.Number);
        list.Add(new TextDirective("unixsocketgroup", "") { Flags = Immutable | Hidden },
            static (settings, value) => settings.UnixSocketGroup = value.Text);
        list.Add(new IntegerDirective("socket-mark-id", 0, 0, uint.MaxValue) { Flags = Immutable },
            static (settings, value) => settings.SocketMark = (uint)value.Number);
        list.Add(new BooleanDirective("mptcp", false) { Flags = Immutable | Hidden },
            static (settings, value) => settings.AcceptsMultipath = value.Number != 0);
        list.Add(new IntegerDirective("tcp-backlog", 511, 0, int.MaxValue) { Flags = Immutable },
            static (settings, value) => settings.TcpBacklog = (int)value.Number);
        list.Add(new IntegerDirective("io-threads", Settings.DefaultIoThreads, 1, Settings.IoThreadsMax)
            { Flags = Immutable },
            static (settings, value) => settings.IoThreads = (int)value.Number);
        list.Add(new EnumerationDirective("transport", "auto", ["auto", "io_uring", "epoll", "portable"])
            { Flags = Immutable | Hidden },
            static (settings, value) => settings.Transport = (TransportChoice)value.Number);
        list.Add(new EnumerationDirective("loop-placement", "auto", ["auto", "all"])
            { Flags = Immutable | Hidden },
            static (settings, value) => settings.IsSpread = value.Number != 0);
    }

    private static void AddClients(DirectiveList list)
    {
        list.Add(new IntegerDirective("tcp-keepalive", 300, 0, int.MaxValue),
            static (settings, value) => settings.TcpKeepAliveSeconds = (int)value.Number);
        list.Add(new IntegerDirective("tcp-keepalive-probes", 3, 1, int.MaxValue),
            static (settings, value) => settings.TcpKeepAliveProbes = (int)value.Number);
        list.Add(new IntegerDirective("timeout", 0, 0, int.MaxValue),
            static (settings, value) => settings.ClientTimeoutSeconds = (int)value.Number);
        list.Add(new IntegerDirective("maxclients", 10000, 1, uint.MaxValue),
            static (settings, value) => settings.ClientsMax = value.Number);
        list.Add(new BooleanDirective("protected-mode", true),
            static (settings, value) => settings.IsProtected = value.Number != 0);
        list.Add(new MemoryDirective("proto-max-bulk-len", 512L << 20, 1 << 20, long.MaxValue, false),
            static (settings, value) => settings.BulkLengthMax = value.Number);
        list.Add(new MemoryDirective("client-query-buffer-limit", 1L << 30, 1 << 20, long.MaxValue, false),
            static (settings, value) => settings.QueryBufferLimit = value.Number);
        list.Add(new OutputBufferLimitDirective { Flags = MultipleArguments },
            static (settings, value) => settings.SetOutputLimits(value.Text));
    }

    private static void AddLater(DirectiveList list)
    {
        list.Section(DirectiveSupport.NoEffectYet, "the listeners do not use it yet");
        list.Add(new IntegerDirective("max-new-connections-per-cycle", 10, 1, 1000));
        list.Add(new IntegerDirective("max-new-tls-connections-per-cycle", 1, 1, 1000));
    }

    private static void AddNever(DirectiveList list)
    {
        list.Section(DirectiveSupport.NeverMeaningful, "every loop reads, executes and writes by itself");
        list.Add(new BooleanDirective("io-threads-do-reads", false) { Flags = Immutable | Hidden });
        list.Add(new BooleanDirective("io-threads-always-active", false) { Flags = Hidden });
        list.Add(new IntegerDirective("events-per-io-thread", 2, 0, int.MaxValue) { Flags = Hidden });
        list.Add(new IntegerDirective("min-io-threads-avoid-copy-reply", 7, 0, int.MaxValue)
        {
            Flags = Hidden,
        });
        list.Add(new IntegerDirective("min-string-size-avoid-copy-reply", 16384, 0, int.MaxValue)
        {
            Flags = Hidden,
        });
        list.Add(new IntegerDirective("min-string-size-avoid-copy-reply-threaded", 65536, 0, int.MaxValue)
        {
            Flags = Hidden,
        });
        list.Section(DirectiveSupport.NeverMeaningful,
            "the depth of prefetching belongs to the table's design");
        list.Add(new IntegerDirective("lookahead", 16, 1, int.MaxValue));
        list.Add(new IntegerDirective("prefetch-batch-max-size", 16, 0, 128));

        list.Section(DirectiveSupport.Refused, "RDMA is not supported: the port would not be open");
        list.Add(new IntegerDirective("rdma-port", 0, 0, 65535));
        list.Section(DirectiveSupport.NeverMeaningful, "RDMA is not supported");
        list.Add(new TextDirective("rdma-bind", ""));
        list.Add(new IntegerDirective("rdma-rx-size", 1 << 20, 64 << 10, 16 << 20)
        {
            Flags = Immutable | Hidden,
        });
        list.Add(new IntegerDirective("rdma-completion-vector", -1, -1, 1024));
    }
}
