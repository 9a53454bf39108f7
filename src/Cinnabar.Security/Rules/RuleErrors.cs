namespace Cinnabar.Security.Rules;

/// <summary>What can be wrong with a rule, in Redis's words.</summary>
internal static class RuleErrors
{
    public const string Syntax = "Syntax error";

    public const string DatabaseRange = "The provided database ID is out of range";

    public const string OpenSelector = "Unmatched parenthesis in selector definition.";

    public const string UnknownCommand = "Unknown command or category name in ACL";

    public const string PatternAfterAll =
        "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any "
        + "effect. Try 'resetkeys' to start with an empty list of patterns";

    public const string ChannelAfterAll =
        "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have "
        + "any effect. Try 'resetchannels' to start with an empty list of channels";

    public const string BadHash =
        "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters";

    public const string NoSuchPassword =
        "The password you are trying to remove from the user does not exist";

    public const string FirstArgumentOfSubcommand = "Allowing first-arg of a subcommand is not supported";
}
