using Cinnabar.Engine.Generated;
using Cinnabar.Security.Rules;

namespace Cinnabar.Engine.Specs;

/// <summary>
/// The commands of one server by name. Directives may rename or disable commands before the server runs;
/// after that it is only read, by any thread.
/// </summary>
public sealed class CommandTable : IAclCommands
{
    private readonly CommandNames _ownNames = new();
    private CommandNames _names;

    /// <summary>A table of all commands under their own names.</summary>
    public CommandTable()
    {
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
        {
            if (spec.Parent == null) _ownNames.Add(spec.NameBytes, spec);
        }

        _names = _ownNames;
    }

    /// <summary>The size of a table of counters indexed by <see cref="CommandId"/>.</summary>
    public static int IdCount => CommandCatalog.Specs.Length;

    /// <summary>The commands that have a name, without subcommands.</summary>
    public ReadOnlySpan<CommandSpec> All => _names.All;

    /// <summary>The spec of a command or subcommand, whether it has a name or not.</summary>
    public static CommandSpec Get(CommandId id) => CommandCatalog.Specs[(int)id];

    IReadOnlyList<IAclCommand> IAclCommands.All => CommandCatalog.All;

    int IAclCommands.NumberEnd => IdCount;

    // Rules have a command's own name, whatever clients call it.
    IAclCommand? IAclCommands.Find(string fullName) =>
        FindFull(_ownNames, Encoding.Latin1.GetBytes(fullName));

    /// <summary>Finds a command by its name, in any case; null: none has it.</summary>
    public CommandSpec? Find(ReadOnlySpan<byte> name) => _names.Find(name);

    /// <summary>Finds the command or subcommand that arguments name; null: there is none.</summary>
    /// <param name="arguments">The arguments; at least one.</param>
    public CommandSpec? Find(ArgumentList arguments) => SubcommandOf(Find(arguments[0].Span), arguments);

    /// <summary>Finds a command of the append-only file, which has clients' names of commands and, where
    /// effects were recorded, the commands' own.</summary>
    /// <param name="arguments">The arguments; at least one.</param>
    public CommandSpec? FindRecorded(ArgumentList arguments) =>
        SubcommandOf(Find(arguments[0].Span) ?? _ownNames.Find(arguments[0].Span), arguments);

    /// <summary>Finds a command, or a subcommand written as "container|subcommand", in any case.</summary>
    public CommandSpec? FindFull(ReadOnlySpan<byte> name) => FindFull(_names, name);

    /// <summary>Gives a command another name, or none. Only before the server runs.</summary>
    /// <param name="name">Its present name, in any case.</param>
    /// <param name="newName">Its new name; empty: the command is disabled.</param>
    /// <returns>False if no command has the name, or another one has the new name already.</returns>
    public bool Rename(ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
    {
        CommandSpec? renamed = Find(name);
        if (renamed == null) return false;
        CommandSpec? other = newName.Length > 0 ? Find(newName) : null;
        if (other == renamed) return true;
        if (other != null) return false;
        _names = _names.With(renamed, newName);
        return true;
    }

    private static CommandSpec? SubcommandOf(CommandSpec? spec, ArgumentList arguments) =>
        spec is { IsContainer: true } && arguments.Count > 1 ? spec.FindSubcommand(arguments[1].Span) : spec;

    private static CommandSpec? FindFull(CommandNames names, ReadOnlySpan<byte> name)
    {
        int bar = name.IndexOf((byte)'|');
        return bar < 0 ? names.Find(name) : names.Find(name[..bar])?.FindSubcommand(name[(bar + 1)..]);
    }
}
