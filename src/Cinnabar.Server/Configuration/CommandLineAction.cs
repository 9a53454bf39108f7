namespace Cinnabar.Server.Configuration;

/// <summary>What the command line asks for.</summary>
internal enum CommandLineAction
{
    /// <summary>To serve.</summary>
    Run,

    /// <summary>-v, --version.</summary>
    ShowVersion,

    /// <summary>-h, --help.</summary>
    ShowHelp,

    CheckSystem,

    /// <summary>--check-rdb, and the program called …-check-rdb (redis-, valkey-).</summary>
    CheckRdb,

    /// <summary>--check-aof, and the program called …-check-aof (redis-, valkey-).</summary>
    CheckAof,

    /// <summary>--restore-until.</summary>
    RestoreUntil,

    /// <summary>--test-memory, which is not supported.</summary>
    TestMemory,

    /// <summary>--sentinel, which is not supported.</summary>
    Sentinel,
}
