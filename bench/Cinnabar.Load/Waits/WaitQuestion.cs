namespace Cinnabar.Load.Waits;

/// <summary>A question of a <see cref="WaitProbe"/> that has no reply yet.</summary>
/// <param name="Figures">Where its wait counts.</param>
/// <param name="DueNs">When it was due.</param>
/// <param name="GapNs">How long the probe had stood still in all until then.</param>
/// <param name="CpuNs">The server's processor time at its last reading before.</param>
internal readonly record struct WaitQuestion(WaitFigures Figures, long DueNs, long GapNs, long CpuNs);
