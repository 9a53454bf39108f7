using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Access;

/// <summary>What a client gets whose command is denied, in Redis's words.</summary>
internal static class AccessErrors
{
    /// <summary>The start of the error of a denied command, before its name.</summary>
    public static ReadOnlySpan<byte> CommandStart => "NOPERM this user has no permissions to run the '"u8;

    /// <summary>The end of it.</summary>
    public static ReadOnlySpan<byte> CommandEnd => "' command"u8;

    /// <summary>The error of a denied key, channel or database.</summary>
    public static ReadOnlySpan<byte> Of(DenialReason reason) => reason switch
    {
        DenialReason.Key =>
            "NOPERM this user has no permissions to access one of the keys used as arguments"u8,
        DenialReason.Channel =>
            "NOPERM this user has no permissions to access one of the channels used as arguments"u8,
        DenialReason.Database =>
            "NOPERM this user has no permissions to access one of the databases used by the command"u8,
        _ => throw new ArgumentOutOfRangeException(nameof(reason), reason, "a denied command has a name"),
    };

    /// <summary>The error in place of the reply of a queued command.</summary>
    public static byte[] InTransaction(DenialReason reason) => [
        .. "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "u8,
        .. "call. This command is no longer allowed for the following reason: "u8,
        .. ReasonInTransaction(reason)];

    /// <summary>The error that a script gets.</summary>
    public static ReadOnlySpan<byte> InScript(DenialReason reason) => reason switch
    {
        DenialReason.Command =>
            "ERR The user executing the script can't run this command or subcommand"u8,
        DenialReason.Key => "ERR The user executing the script can't access at least one of the keys "u8
            + "mentioned in the command arguments"u8,
        DenialReason.Channel =>
            "ERR The user executing the script can't publish to the channel mentioned in the command"u8,
        _ => "ERR The user executing the script can't access the database of the command"u8,
    };

    private static ReadOnlySpan<byte> ReasonInTransaction(DenialReason reason) => reason switch
    {
        DenialReason.Command => "no permission to execute the command or subcommand"u8,
        DenialReason.Key => "no permission to touch the specified keys"u8,
        DenialReason.Channel =>
            "no permission to access one of the channels used as arguments to the command"u8,
        _ => "no permission to access the database"u8,
    };
}
