namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>Collects the descriptions of the catalogue, section by section.</summary>
internal sealed class DirectiveList
{
    private readonly List<Directive> _directives = [];
    private DirectiveSupport _support;
    private string _reason = "";

    internal IReadOnlyList<Directive> Directives => _directives;

    /// <summary>What the directives that are added next do.</summary>
    internal void Section(DirectiveSupport support, string reason = "")
    {
        _support = support;
        _reason = reason;
    }

    /// <summary>Adds a description.</summary>
    /// <param name="directive">The description.</param>
    /// <param name="apply">Copies a new value to the typed settings; null: nothing reads it yet.</param>
    /// <param name="alias">The older name that means the same.</param>
    internal void Add(
        Directive directive, Action<Settings, DirectiveValue>? apply = null, string? alias = null)
    {
        directive.Apply = apply;
        directive.Alias = alias;
        directive.Support = _support;
        directive.Reason = _reason;
        _directives.Add(directive);
    }
}
