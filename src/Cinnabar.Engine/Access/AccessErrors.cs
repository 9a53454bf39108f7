using Cinnabar.Engine.Specs;
using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Access;

/// <summary>What a client gets whose command is denied, in Redis's words; for databases in
/// Valkey's.</summary>
internal static class AccessErrors
{
    /// <summary>The error of a denied command, key, channel or database.</summary>
    public static byte[] Of(DenialReason reason, CommandSpec spec) => reason switch
    {
        DenialReason.Command => [
            .. "NOPERM this user has no permissions to run the '"u8, .. spec.NameBytes, .. "' command"u8],
        DenialReason.Key =>
            "NOPERM this user has no permissions to access one of the keys used as arguments"u8.ToArray(),
        DenialReason.Channel =>
            "NOPERM this user has no permissions to access one of the channels used as arguments"u8.ToArray(),
        DenialReason.Database => "NOPERM No permissions to access database"u8.ToArray(),
        _ => throw new ArgumentOutOfRangeException(nameof(reason), reason, "no command is denied for it"),
    };

    /// <summary>The error in place of the reply of a queued command.</summary>
    public static byte[] InTransaction(DenialReason reason) => [
        .. "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "u8,
        .. "call. This command is no longer allowed for the following reason: "u8,
        .. ReasonInTransaction(reason)];

    /// <summary>The error that a script gets.</summary>
    public static byte[] InScript(DenialReason reason) => reason switch
    {
        DenialReason.Command =>
            "ERR The user executing the script can't run this command or subcommand"u8.ToArray(),
        DenialReason.Key => [.. "ERR The user executing the script can't access at least one of the keys "u8,
            .. "mentioned in the command arguments"u8],
        DenialReason.Channel =>
            [.. "ERR The user executing the script can't publish to the channel mentioned in the "u8,
                .. "command"u8],
        _ => "ERR ACL failure in script: No permissions to access database"u8.ToArray(),
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
