namespace Cinnabar.Tests.Support.Commands;

/// <summary>The data commands, on a <see cref="CommandHarness"/>.</summary>
public static class DataCommands
{
    /// <summary>A harness of the data commands.</summary>
    /// <param name="isChecked">Whether its memory is checked.</param>
    /// <param name="losesReleased">As of <see cref="CommandHarness(bool, bool)"/>.</param>
    public static CommandHarness NewHarness(bool isChecked = true, bool losesReleased = false) =>
        new(isChecked, losesReleased);

    /// <summary>Plays a conversation (see <see cref="Transcript"/>) on an empty key space, then looks for
    /// leaks.</summary>
    public static void Play(string text)
    {
        using CommandHarness harness = NewHarness();
        Transcript.Play(harness, text);
    }
}
