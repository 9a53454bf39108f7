using System;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A command and its effect.</summary>
/// <param name="Words">The command.</param>
/// <param name="Run">Its meaning: its reply, as <see cref="Shown"/> has it; null: it waits
/// (<see cref="ModelRun.Block"/>).</param>
internal sealed record TypedCommand(string[] Words, Func<ModelRun, string?> Run)
{
    /// <summary>How its reply is shown.</summary>
    public Func<RespValue, string> Show { get; init; } = Shown.Of;

    /// <summary>How long it waits at most, in milliseconds; 0: for ever, or not at all.</summary>
    public long TimeoutMs { get; init; }
}
