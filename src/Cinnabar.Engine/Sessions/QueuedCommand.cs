using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Sessions;

/// <summary>A command that waits for EXEC.</summary>
/// <param name="Spec">The command.</param>
/// <param name="Flags">Its flags, as the script that it runs says them.</param>
/// <param name="Arguments">Its arguments, in memory of the transaction.</param>
internal readonly record struct QueuedCommand(
    CommandSpec Spec, CommandFlags Flags, ArgumentList Arguments);
