using Cinnabar.Engine.Specs;
using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Access;

/// <summary>What a client gets whose command is denied, in Redis's words.</summary>
internal static class AccessErrors
{
    /// <summary>The error of a denied command, key, channel or database.</summary>
    public static byte[] Of(DenialReason reason, string user, CommandSpec spec) =>
        [.. "NOPERM "u8, .. Text(reason, user, spec)];

    /// <summary>What is said of a command that a user may not run.</summary>
    public static byte[] OfCommand(string user, CommandSpec spec) => [
        .. StartOf(user), .. "run the '"u8, .. spec.NameBytes, .. "' command"u8];

    /// <summary>The beginning of what ACL DRYRUN says, and of what a user may not run.</summary>
    public static byte[] StartOf(string user) => [
        .. "User "u8, .. Encoding.Latin1.GetBytes(user), .. " has no permissions to "u8];

    /// <summary>The error in place of the reply of a queued command.</summary>
    public static byte[] InTransaction(DenialReason reason) => [
        .. "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "u8,
        .. "call. This command is no longer allowed for the following reason: "u8,
        .. ReasonInTransaction(reason)];

    /// <summary>The error that a script gets.</summary>
    public static byte[] InScript(DenialReason reason, string user, CommandSpec spec) =>
        [.. "ERR ACL failure in script: "u8, .. Text(reason, user, spec)];

    private static byte[] Text(DenialReason reason, string user, CommandSpec spec) => reason switch
    {
        DenialReason.Command => OfCommand(user, spec),
        DenialReason.Key => "No permissions to access a key"u8.ToArray(),
        DenialReason.Channel => "No permissions to access a channel"u8.ToArray(),
        DenialReason.Database => "No permissions to access database"u8.ToArray(),
        _ => throw new ArgumentOutOfRangeException(nameof(reason), reason, "no command is denied for it"),
    };

    private static ReadOnlySpan<byte> ReasonInTransaction(DenialReason reason) => reason switch
    {
        DenialReason.Command => "no permission to execute the command or subcommand"u8,
        DenialReason.Key => "no permission to touch the specified keys"u8,
        DenialReason.Channel =>
            "no permission to access one of the channels used as arguments"u8,
        _ => "no permission to access the database"u8,
    };
}
