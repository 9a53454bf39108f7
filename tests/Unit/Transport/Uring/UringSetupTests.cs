using System;
using System.ComponentModel;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Tls;
using Cinnabar.Transport.Tls.Framework;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Rings that cannot be made: each call of their making, and of the trial before, fails once with
/// each error, over the simulated kernel. Then epoll serves, one line of the log says why, and what was
/// opened and mapped before is given back.</summary>
[SupportedOSPlatform("linux")]
public sealed class UringSetupTests
{
    private const int LoopCount = 3;
    private const int CallCountMax = 100;

    public static TheoryData<string, int> Failures
    {
        get
        {
            var all = new TheoryData<string, int>();
            foreach (string call in (string[])["Setup", "Map", "Register", "Enable", "Event", "Pair", "Enter",
                "Receive"])
            {
                foreach (int error in (int[])[UringCalls.NotPermitted, EpollCalls.NoMemory,
                    UringCalls.Invalid, UringCalls.NotImplemented, EpollCalls.TooManyFiles])
                    all.Add(call, error);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Failures))]
    public void EpollServesWhereACallFails(string call, int error)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll");
        int count = 0;
        for (bool hasOccurred = true; hasOccurred; count++)
        {
            Assert.True(count < CallCountMax, "a start makes no more calls");
            var fault = new SingleFault(Enum.Parse<SimulatedCall>(call), count, error);
            var kernel = new SimulatedKernel(fault, new SimulatedChance(1) { IsCalm = true });
            // A call to a ring that finds no memory is repeated.
            bool isRepeated = call == "Enter" && error == EpollCalls.NoMemory;
            Serve(kernel, drivers => hasOccurred = fault.HasOccurred,
                () => fault.HasOccurred && !isRepeated ? Marshal.GetPInvokeErrorMessage(error) : null);
        }

        Assert.True(count > 1, "there was such a call");
    }

    /// <summary>Calls that are made again after such an error are not made for ever.</summary>
    [Theory]
    [InlineData(EpollCalls.NoMemory)]
    [InlineData(EpollCalls.Again)]
    [InlineData(UringCalls.Busy)]
    public void EpollServesWhereTheTrialNeverEnds(int error)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll");
        var kernel = new SimulatedKernel(new LastingFault(error), new SimulatedChance(1) { IsCalm = true });
        Serve(kernel, static _ => { }, static () => Marshal.GetPInvokeErrorMessage(EpollCalls.Again));
    }

    [Fact]
    public void EpollServesWhereTheKernelLacksAFeature()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll");
        foreach (uint feature in (uint[])[UringCalls.FeatureSingleMapping, UringCalls.FeatureNoDrop,
            UringCalls.FeatureWaitArgument])
        {
            var none = new SingleFault(SimulatedCall.Setup, int.MaxValue, 0);
            var kernel = new SimulatedKernel(none, new SimulatedChance(1) { IsCalm = true })
            {
                Features = ~feature,
            };
            Serve(kernel, static _ => { }, static () => "Invalid argument");
        }
    }

    /// <summary>What the trial was allowed the loop is denied: it ends with the error.</summary>
    [Fact]
    public void ALoopWhoseRingCannotBeEnabledEnds()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll");
        var fault = new SingleFault(SimulatedCall.Enable, 1, UringCalls.NotPermitted);
        var kernel = new SimulatedKernel(fault, new SimulatedChance(1) { IsCalm = true });
        Serve(kernel, static drivers =>
        {
            var failure = Assert.Throws<Win32Exception>(drivers.All[1].Run);
            Assert.Equal(UringCalls.NotPermitted, failure.NativeErrorCode);
        }, static () => null);
    }

    /// <summary>Makes the transports of a server, and ends it.</summary>
    /// <param name="kernel">The kernel.</param>
    /// <param name="look">Called while they are there.</param>
    /// <param name="obstacle">Why there are no rings; null: there are.</param>
    private static void Serve(SimulatedKernel kernel, Action<LoopDrivers> look, Func<string?> obstacle)
    {
        var log = new TestLog();
        var configuration = new ConfigurationRegistry();
        configuration.Override("transport", "io_uring");
        using var engine = new ServerEngine(new ServerOptions
        {
            Configuration = configuration,
            Log = log,
            LoopCount = LoopCount,
            IsMemoryChecked = true,
        });
        using var tls = new TlsSource(engine, new SslStreamLibrary());
        var drivers = new LoopDrivers(engine, tls, kernel);
        string[] denials = [.. log.Lines.Where(static line =>
            line.Contains("cannot be used", StringComparison.Ordinal))];
        string[] expected = obstacle() is { } reason
            ? [$"io_uring cannot be used ({reason}), epoll is"] : [];
        Assert.Equal(expected, denials);
        Type type = expected.Length > 0 ? typeof(EpollTransport) : typeof(UringTransport);
        Assert.All(drivers.All, driver => Assert.IsType(type, driver));
        if (expected.Length > 0)
            kernel.AssertNothingIsLeft();
        look(drivers);
        drivers.Handshakes.Dispose();
        foreach (ILoopDriver driver in drivers.All)
            driver.Dispose();
        kernel.AssertNothingIsLeft();
    }

    // No call that enters a ring succeeds.
    private sealed class LastingFault(int error) : ISimulatedFaults
    {
        public bool Occurs(SimulatedCall call, out int result)
        {
            result = -error;
            return call == SimulatedCall.Enter;
        }
    }
}
