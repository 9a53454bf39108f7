namespace Cinnabar.Memory;

/// <summary>An arena or pool that takes pages from a <see cref="PageSource"/>, as totals and leak report see
/// it.</summary>
internal interface IPageOwner
{
    /// <summary>Bytes of live blocks; read from any thread.</summary>
    long UsedBytes { get; }

    /// <summary>The pages of its slabs; read from any thread.</summary>
    PageUse PageUse { get; }

    /// <summary>Adds a line for each kind of block that is still live.</summary>
    void AppendLeaks(List<string> lines);
}
