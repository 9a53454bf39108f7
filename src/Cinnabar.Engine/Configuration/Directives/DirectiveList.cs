using System.Collections.Generic;

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

    internal void Add(Directive directive)
    {
        directive.Support = _support;
        directive.Reason = _reason;
        _directives.Add(directive);
    }
}
