namespace Cinnabar.Load.Waits;

/// <summary>A question of a <see cref="WaitProbe"/> that has no reply yet.</summary>
/// <param name="Figures">Where its wait counts.</param>
/// <param name="DueNs">When it was due.</param>
internal readonly record struct WaitQuestion(WaitFigures Figures, long DueNs);
