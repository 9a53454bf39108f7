namespace Cinnabar.Security.Rules;

/// <summary>All commands that rules can name.</summary>
public interface IAclCommands
{
    /// <summary>All commands and subcommands.</summary>
    IReadOnlyList<IAclCommand> All { get; }

    /// <summary>One more than the highest number.</summary>
    int NumberEnd { get; }

    /// <summary>The command of a full name in any case; null: there is none.</summary>
    IAclCommand? Find(string fullName);
}
