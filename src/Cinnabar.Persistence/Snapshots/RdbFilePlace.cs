namespace Cinnabar.Persistence.Snapshots;

/// <summary>The names of a file that is being made.</summary>
/// <param name="Directory">Where it is.</param>
/// <param name="TemporaryName">What it is called until it is whole.</param>
/// <param name="Name">What it is called then.</param>
public sealed record RdbFilePlace(string Directory, string TemporaryName, string Name)
{
    /// <summary>The temporary name of the RDB file.</summary>
    public static string TemporaryNameOf(int processId) =>
        string.Create(CultureInfo.InvariantCulture, $"temp-{processId}.rdb");

    /// <summary>Why the file that has the name must stay; null: it need not.</summary>
    public string? Refusal { get; init; }

    /// <summary>The temporary path.</summary>
    public string TemporaryPath => System.IO.Path.Combine(Directory, TemporaryName);

    /// <summary>The path.</summary>
    public string Path => System.IO.Path.Combine(Directory, Name);
}
