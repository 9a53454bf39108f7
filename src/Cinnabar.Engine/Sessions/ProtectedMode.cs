namespace Cinnabar.Engine.Sessions;

/// <summary>Protected mode: without a password only clients of this machine are accepted.</summary>
internal static class ProtectedMode
{
    /// <summary>What a peer gets that is refused in protected mode.</summary>
    public static ReadOnlySpan<byte> Error =>
        "-DENIED Redis is running in protected mode because protected mode is enabled and no "u8
            + "password is set for the "u8
            + "default user. In this mode connections are only accepted from the loopback "u8
            + "interface. If you want to "u8
            + "connect from external computers to Redis you may adopt one of the following "u8
            + "solutions: 1) Just disable "u8
            + "protected mode sending the command 'CONFIG SET protected-mode no' from the loopback "u8
            + "interface by "u8
            + "connecting to Redis from the same host the server is running, however MAKE SURE "u8
            + "Redis is not publicly "u8
            + "accessible from internet if you do so. Use CONFIG REWRITE to make this change "u8
            + "permanent. 2) Alternatively "u8
            + "you can just disable the protected mode by editing the Redis configuration file, and "u8
            + "setting the "u8
            + "protected mode option to 'no', and then restarting the server. 3) If you started the "u8
            + "server manually just "u8
            + "for testing, restart it with the '--protected-mode no' option. 4) Set up an "u8
            + "authentication password for "u8
            + "the default user. NOTE: You only need to do one of the above things in order for the "u8
            + "server to start "u8
            + "accepting connections from the outside.\r\n"u8;
}
