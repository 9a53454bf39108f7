namespace Cinnabar.Engine.Configuration;

/// <summary>
/// When a client that does not read its replies is closed. A limit of zero bytes means none.
/// </summary>
/// <param name="HardBytes">Closed at once above this.</param>
/// <param name="SoftBytes">Closed when above this for <paramref name="SoftSeconds"/> without a break.</param>
/// <param name="SoftSeconds">How long the soft limit may be exceeded.</param>
public readonly record struct OutputBufferLimit(long HardBytes, long SoftBytes, int SoftSeconds)
{
    /// <summary>The limits of normal clients, replicas and subscribers out of the canonical text.</summary>
    internal static OutputBufferLimit[] Decode(string text)
    {
        string[] words = text.Split(' ');
        OutputBufferLimit[] limits = new OutputBufferLimit[3];
        for (int index = 0; index < limits.Length; index++)
        {
            limits[index] = new OutputBufferLimit(
                long.Parse(words[index * 4 + 1], CultureInfo.InvariantCulture),
                long.Parse(words[index * 4 + 2], CultureInfo.InvariantCulture),
                int.Parse(words[index * 4 + 3], CultureInfo.InvariantCulture));
        }
        return limits;
    }
}
