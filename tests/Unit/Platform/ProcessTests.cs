using System;
using System.IO;
using System.Net.Sockets;
using System.Text;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class ProcessTests
{
    [Fact]
    public void TheDescriptorLimitCanBeReadAndSet()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("Windows has no such limit");
            return;
        }
        (long soft, long hard) = FileDescriptorLimit.Read();
        Assert.InRange(soft, 1, hard);
        Assert.True(FileDescriptorLimit.TrySet(soft - 1));
        Assert.Equal((soft - 1, hard), FileDescriptorLimit.Read());
        Assert.True(FileDescriptorLimit.TrySet(soft));
        Assert.Equal((soft, hard), FileDescriptorLimit.Read());
    }

    [Fact]
    public void FileModesCanBeSet()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("Windows has no file modes");
            return;
        }
        string path = Path.GetTempFileName();
        ProcessControl.SetFileMode(path, Convert.ToInt32("640", 8));
        Assert.Equal(Convert.ToInt32("640", 8), (int)File.GetUnixFileMode(path));
        File.Delete(path);
        int mask = ProcessControl.SetFileModeMask(Convert.ToInt32("077", 8));
        Assert.Equal(Convert.ToInt32("077", 8), ProcessControl.SetFileModeMask(mask));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheSupervisorHearsOfStatesByPathOrAbstractAddress(bool isAbstract)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "systemd is Linux's");
        string path = Path.Combine(Path.GetTempPath(), $"cinnabar-{Guid.NewGuid():N}");
        using Socket supervisor = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        supervisor.Bind(new UnixDomainSocketEndPoint(isAbstract ? "\0" + path : path));
        supervisor.ReceiveTimeout = 300_000;
        ServiceNotifier notifier = new(isAbstract ? "@" + path : path);
        Assert.True(notifier.IsSupervised);
        Assert.True(notifier.TryNotify("STATUS=Ready\nREADY=1"));
        byte[] received = new byte[100];
        int count = supervisor.Receive(received);
        Assert.Equal("STATUS=Ready\nREADY=1", Encoding.UTF8.GetString(received, 0, count));
        File.Delete(path);
    }

    [Fact]
    public void WithoutASupervisorNoNotificationIsSent()
    {
        ServiceNotifier notifier = new(null);
        Assert.False(notifier.IsSupervised);
        Assert.False(notifier.TryNotify("READY=1"));
    }

    [Fact]
    public void ATitleIsCutToWhatTheSystemTakes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux shows it");
        // A thread of its own, since the name is the thread's.
        string? shown = null;
        System.Threading.Thread thread = new(() =>
        {
            ProcessControl.TrySetTitle("cinnabar 0.0.0.0:6379");
            shown = File.ReadAllText("/proc/thread-self/comm").Trim();
        });
        thread.Start();
        thread.Join();
        Assert.Equal("cinnabar 0.0.0.", shown);
    }
}
