using Cinnabar.Memory;

namespace Cinnabar.Keyspace;

/// <summary>The pages of a key space's memory: how they are used, and what goes back to the system.</summary>
public static class KeyspacePages
{
    extension(Keyspace keyspace)
    {
        /// <summary>Bytes in pages, for reports: see <see cref="PageUse"/>.</summary>
        public PageUse MeasurePages()
        {
            PageUse use = keyspace.Pages.Measure();
            return use with { ActiveBytes = use.ActiveBytes - keyspace.Blocks.KeptBytes };
        }

        /// <summary>Returns to the system what the sources of all stripes kept and have not needed since the
        /// last call. Needs no lock.</summary>
        public void GiveBackIdle()
        {
            keyspace.Blocks.GiveBackIdle();
            keyspace.Trees.GiveBackIdle();
            keyspace.Segments.GiveBackIdle();
            keyspace.UncountedBlocks.GiveBackIdle();
        }
    }
}
