using Cinnabar.Engine.Configuration.Directives;

namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>A directive's value in one server.</summary>
internal sealed class ConfigurationEntry(Directive directive)
{
    internal Directive Directive { get; } = directive;

    internal DirectiveValue Value { get; set; } = directive.Default;

    /// <summary>The line that set it last; null while only CONFIG SET or nothing did.</summary>
    internal ConfigurationOrigin? Origin { get; set; }

    /// <summary>Whether the log has already said that it has no effect.</summary>
    internal bool IsNamedInLog { get; set; }

    /// <summary>Called after a change; each may veto it with an error text.</summary>
    internal List<Func<string?>> Subscribers { get; } = [];

    internal bool IsDefault => Value.Text == Directive.Default.Text;
}
