namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>A script and what a client says to the debugger while it runs.</summary>
/// <param name="Script">The script.</param>
/// <param name="Commands">The client's commands; those after the end of the session are not sent.</param>
internal sealed record DebuggerSession(string Script, params string[][] Commands);
