using System.IO;
using Cinnabar.Persistence.Rdb.Checking;
using Cinnabar.Platform.Files;

namespace Cinnabar.Server.Tools;

/// <summary>The check of a snapshot, as both tools make it.</summary>
internal static class SnapshotCheck
{
    /// <summary>Checks the RDB data that a file begins with. What is found is written when the bar is no
    /// longer shown.</summary>
    /// <param name="file">The file.</param>
    /// <param name="name">Its name.</param>
    /// <param name="output">Gets the lines.</param>
    /// <returns>The offset behind the data; null: they are damaged.</returns>
    internal static long? Run(StoredFile file, string name, TextWriter output)
    {
        using var found = new StringWriter(CultureInfo.InvariantCulture) { NewLine = output.NewLine };
        bool isSound;
        long end;
        using (ProgressBar bar = new(file.Length))
            isSound = RdbFileCheck.Run(file, name, found, bar.Show, out end);
        output.Write(found);
        return isSound ? end : null;
    }
}
