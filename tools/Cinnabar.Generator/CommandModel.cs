using System.Collections.Generic;

namespace Cinnabar.Generator;

/// <summary>A command or subcommand as its spec states it, checked.</summary>
internal sealed class CommandModel
{
    /// <summary>Its number in CommandId; 1 and up.</summary>
    public int Id { get; set; }

    public CommandModel? Parent { get; set; }

    /// <summary>Lower case; a subcommand's without its container.</summary>
    public string Name { get; set; } = "";

    public string FullName => Parent == null ? Name : Parent.Name + "|" + Name;

    public string Path { get; set; } = "";

    /// <summary>Zero-based line of the spec in its file.</summary>
    public int Line { get; set; }

    public string Summary { get; set; } = "";

    public string Since { get; set; } = "";

    public string Group { get; set; } = "";

    public string Complexity { get; set; } = "";

    public int Arity { get; set; }

    /// <summary>The handler's qualified name; empty for a container that cannot run by itself.</summary>
    public string Function { get; set; } = "";

    /// <summary>The qualified name of its prefetch function; empty for most.</summary>
    public string Lookahead { get; set; } = "";

    public string Lock { get; set; } = "";

    /// <summary>The qualified name of the function that chooses the stripes; empty unless the lock is
    /// "chosen".</summary>
    public string LockChooser { get; set; } = "";

    /// <summary>The qualified name of the function that decides whether it needs all stripes; empty for
    /// most.</summary>
    public string LockAllIf { get; set; } = "";

    public string Cost { get; set; } = "";

    /// <summary>What the journal gets of it: "verbatim", itself, or "own", what its handler records; empty
    /// where it does not write.</summary>
    public string Effect { get; set; } = "";

    public List<string> DocFlags { get; set; } = new List<string>();

    public string DeprecatedSince { get; set; } = "";

    public string ReplacedBy { get; set; } = "";

    public List<string> Flags { get; set; } = new List<string>();

    public List<string> Categories { get; set; } = new List<string>();

    /// <summary>The lines of its HELP below the first one, which all containers share.</summary>
    public List<string> Help { get; set; } = new List<string>();

    public List<string> Tips { get; set; } = new List<string>();

    public List<KeyValuePair<string, string>> History { get; } = new List<KeyValuePair<string, string>>();

    public List<KeySpecModel> KeySpecs { get; } = new List<KeySpecModel>();

    /// <summary>Where its channels and databases are.</summary>
    public List<KeySpecModel> AccessSpecs { get; } = new List<KeySpecModel>();

    public List<ArgumentModel> Arguments { get; set; } = new List<ArgumentModel>();

    public List<CommandModel> Subcommands { get; } = new List<CommandModel>();
}
