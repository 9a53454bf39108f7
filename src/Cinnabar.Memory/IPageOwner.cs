using System.Collections.Generic;

namespace Cinnabar.Memory;

/// <summary>Who takes pages from a <see cref="PageSource"/>, as its totals and its leak report see
/// it.</summary>
internal interface IPageOwner
{
    /// <summary>Bytes of live blocks; read from any thread.</summary>
    long UsedBytes { get; }

    /// <summary>What its slabs have in pages; read from any thread.</summary>
    PageUse PageUse { get; }

    /// <summary>Adds a line for each kind of block that is still live.</summary>
    void AppendLeaks(List<string> lines);
}
