namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// One directive of redis.conf: its names, its grammar and its default. Its value is in a
/// <see cref="ConfigurationRegistry"/>.
/// </summary>
public abstract class Directive
{
    /// <summary>Creates the description.</summary>
    protected Directive(string name, DirectiveValue defaultValue)
    {
        Name = name;
        Default = defaultValue;
    }

    /// <summary>The current name, in lower case.</summary>
    public string Name { get; }

    /// <summary>The older name that means the same, or null.</summary>
    public string? Alias { get; internal set; }

    /// <summary>The value where nothing is configured.</summary>
    public DirectiveValue Default { get; }

    /// <summary>How it may be read and changed.</summary>
    public DirectiveFlags Flags { get; internal set; }

    /// <summary>What it does here.</summary>
    public DirectiveSupport Support { get; internal set; }

    /// <summary>Why it does nothing or is refused; empty where it works.</summary>
    public string Reason { get; internal set; } = "";

    /// <summary>Copies a new value to the typed settings; null if nothing reads it yet.</summary>
    internal Action<Settings, DirectiveValue>? Apply { get; set; }

    /// <summary>Whether <paramref name="flag"/> is set.</summary>
    public bool Has(DirectiveFlags flag) => (Flags & flag) != 0;

    /// <summary>Reads the words after the directive's name.</summary>
    /// <param name="words">At least one, unquoted; one char a byte.</param>
    /// <param name="previous">The value so far: some directives change only a part of it.</param>
    /// <param name="isRepeated">
    /// True when a configuration file sets the same directive again; lines of <c>save</c> add up.
    /// </param>
    /// <param name="value">The new value.</param>
    /// <returns>Null, or Redis's own text for what is wrong.</returns>
    public abstract string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value);

    /// <summary>The lines that stand for a value in a configuration file.</summary>
    public virtual void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + value.Text);

    /// <summary>Whether a line of <see cref="Rewrite"/> must be added to a file that lacks it.</summary>
    internal virtual bool IsNeeded(string line) => true;

    /// <summary>The error of a directive that takes exactly one word, or null.</summary>
    protected static string? RequireOne(IReadOnlyList<string> words) =>
        words.Count == 1 ? null : "wrong number of arguments";
}
