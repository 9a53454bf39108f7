using System;
using System.IO;
using Cinnabar.Platform.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

/// <summary>Files of the system.</summary>
public sealed class SystemFileTests
{
    /// <summary>The room is that of the file system that the file is on: one of the kernel's own never has
    /// any.</summary>
    [Fact]
    public void TheRoomIsThatOfItsFileSystem()
    {
        string path = Path.GetTempFileName();
        try
        {
            using StoredFile file = FileSystem.System.Open(path, FileUse.Append);
            Assert.InRange(file.RoomBytes, 1, new DriveInfo(Path.GetFullPath(path)).TotalSize);
        }
        finally
        {
            File.Delete(path);
        }

        Assert.SkipUnless(OperatingSystem.IsLinux(), "no file system is full all the time");
        using StoredFile full = FileSystem.System.Open("/proc/self/stat", FileUse.Read);
        Assert.Equal(0, full.RoomBytes);
    }
}
