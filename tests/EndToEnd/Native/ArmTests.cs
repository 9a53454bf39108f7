using System;
using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>The binary for arm64, cross-compiled and run by qemu.</summary>
public sealed class ArmTests
{
    private const string Emulator = "qemu-aarch64-static";
    private const string Libraries = "/usr/aarch64-linux-gnu";

    [Fact]
    public void TheBinaryForArmServes()
    {
        string? program = Environment.GetEnvironmentVariable("CINNABAR_ARM64_SERVER");
        Assert.SkipUnless(program is not null, "no binary for arm64 was compiled");
        Assert.SkipUnless(ProgramResult.CanRun(Emulator), "qemu-user-static is not installed");
        using var port = new ReservedPort();
        string number = port.Number.ToString(CultureInfo.InvariantCulture);
        using Process process = Process.Start(new ProcessStartInfo(
            Emulator, ["-L", Libraries, program!, "--port", number, "--io-threads", "2"])
        {
            RedirectStandardOutput = true,
        })!;
        using (RespClient client = Connect(process, port.Number))
        {
            Assert.Equal("+OK", client.Run("SET key value"));
            Assert.Equal("value", client.Call("GET", "key").Text);
            for (int score = 0; score < 300; score++)
                client.Call("ZADD", "scores", $"{score}", $"member:{score}");
            Assert.Equal(299, client.Call("ZRANK", "scores", "member:299").Integer);
            Assert.Equal(300, client.Call("ZCARD", "scores").Integer);
            Assert.Equal(1, client.Call("PFADD", "log", "a", "b").Integer);
            Assert.Equal(5, client.Call("BITCOUNT", "key", "0", "0").Integer);
            client.Send("SHUTDOWN", "NOSAVE");
        }

        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, output);
    }

    private static RespClient Connect(Process process, int port)
    {
        while (true)
        {
            try
            {
                return new RespClient(port);
            }
            catch (SocketException) when (!process.HasExited)
            {
                // It does not listen yet.
                Thread.Sleep(50);
            }
        }
    }
}
