using System;
using System.IO;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class ContainerLimitTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("cinnabar-groups");

    private string Membership => Path.Join(_folder.FullName, "membership");

    private string Root => Path.Join(_folder.FullName, "groups");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("0::/", "", "memory.max")]
    [InlineData("0::/user/session", "user/session", "memory.max")]
    [InlineData("0::/user/session", "user", "memory.max")]
    [InlineData("0::/only/on/the/host", "", "memory.max")]
    [InlineData("3:cpu:/a\n4:memory:/b\n", "memory/b", "memory.limit_in_bytes")]
    [InlineData("4:cpu,memory:/host/b", "memory", "memory.limit_in_bytes")]
    public void TheLimitOfTheGroupOrOneAboveItIsFound(string membership, string group, string file)
    {
        File.WriteAllText(Membership, membership);
        Write(group, file, "1073741824\n");
        Assert.Equal(1L << 30, ContainerLimit.Read(Membership, Root));
    }

    [Fact]
    public void TheLeastLimitOnTheWayUpCounts()
    {
        File.WriteAllText(Membership, "0::/a/b\n");
        Write("a", "memory.max", "5000000\n");
        Write("a/b", "memory.max", "max\n");
        Assert.Equal(5_000_000, ContainerLimit.Read(Membership, Root));
        Write("a/b", "memory.max", "7000000\n");
        Assert.Equal(5_000_000, ContainerLimit.Read(Membership, Root));
        Write("a/b", "memory.max", "3000000\n");
        Assert.Equal(3_000_000, ContainerLimit.Read(Membership, Root));
    }

    [Theory]
    [InlineData("0::/", "max")]
    [InlineData("5:cpu:/a", "1000")]
    [InlineData("", "1000")]
    public void WithoutALimitThereIsNone(string membership, string value)
    {
        File.WriteAllText(Membership, membership);
        Write("", "memory.max", value);
        Assert.Equal(long.MaxValue, ContainerLimit.Read(Membership, Root));
        Assert.Equal(long.MaxValue, ContainerLimit.Read(Membership + "-missing", Root));
        Assert.InRange(MemoryStatus.MachineOrContainerBytes, 1 << 20, MemoryStatus.SystemTotalBytes);
    }

    private void Write(string group, string file, string text)
    {
        string folder = Path.Join(Root, group);
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Join(folder, file), text);
    }
}
