using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>Memory for trees of which all must be back when a test has released its trees.</summary>
public static class CheckedTrees
{
    private const int ReclaimedCount = 7;

    /// <summary>Runs a test over checked memory.</summary>
    /// <exception cref="InvalidOperationException">Memory was not given back.</exception>
    public static void Run(HashSeed seed, int arenaCount, Action<TreeSource, PageSource> test)
    {
        using var pages = new PageSource(isChecked: true);
        using (var source = new TreeSource(pages, seed, arenaCount))
        {
            test(source, pages);
            while (source.ReclaimSlice(ReclaimedCount))
            {
            }

            if (source.BlockCount != 0 || source.UsedBytes != 0)
                throw new InvalidOperationException(
                    $"{source.BlockCount} blocks of {source.UsedBytes} bytes were not released.");
        }

        string[] leaks = pages.LeakReport();
        if (leaks.Length != 0)
            throw new InvalidOperationException(string.Join('\n', leaks));
    }
}
