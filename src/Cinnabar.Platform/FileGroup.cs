using System.IO;

namespace Cinnabar.Platform;

/// <summary>The groups of files, on Linux and macOS.</summary>
// SAFETY: the record of a group is read before another call can overwrite it: files get their groups at the
// start of a server, one after the other.
public static unsafe class FileGroup
{
    private const uint SameUser = uint.MaxValue;

    /// <summary>Gives a file to a group.</summary>
    /// <param name="path">The file's path.</param>
    /// <param name="name">The group's name.</param>
    /// <exception cref="IOException">There is no such group, or this process may not give files to
    /// it.</exception>
    public static void Set(string path, string name)
    {
        if (OperatingSystem.IsWindows())
            throw new IOException("files have no groups on this system");
        GroupRecord* group = LibC.FindGroup(name);
        if (group == null)
            throw new IOException($"there is no group '{name}'");
        if (LibC.ChangeOwner(path, SameUser, group->Id) != 0)
            throw new IOException(Marshal.GetLastPInvokeErrorMessage());
    }
}
