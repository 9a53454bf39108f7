namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>One <c>rename-command</c> line.</summary>
/// <param name="From">The command's own name.</param>
/// <param name="To">Its new name; empty: the command is disabled.</param>
public readonly record struct CommandRename(string From, string To);
