namespace Cinnabar.Security.Rules;

/// <summary>A command or subcommand as rules see it.</summary>
public interface IAclCommand
{
    /// <summary>Its number: an index into sets of commands.</summary>
    int Number { get; }

    /// <summary>Its name in lower case; a subcommand's with its container's: "client|kill".</summary>
    string FullName { get; }

    /// <summary>Its categories.</summary>
    AclCategories Categories { get; }

    /// <summary>The number of its container; 0: it is no subcommand.</summary>
    int ContainerNumber { get; }

    /// <summary>Whether it has subcommands.</summary>
    bool HasSubcommands { get; }
}
