using System;
using System.Runtime.InteropServices;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>The binary on processors that the machine does not have, by qemu.</summary>
public sealed class ProcessorLevelTests
{
    private const string Emulator = "qemu-x86_64-static";

    [Theory]
    [InlineData("Nehalem")]
    [InlineData("IvyBridge")]
    public void AnOlderProcessorGetsOneLine(string processor)
    {
        SkipUnlessPossible();
        ProgramResult result = ProgramResult.Of(
            Emulator, "-cpu", processor, ServerProgram.FilePath, "--version");
        Assert.Equal(1, result.ExitCode);
        Assert.Equal("", result.Output);
        Assert.EndsWith("cinnabar-server: this binary needs a processor of level x86-64-v3 (AVX2, BMI2, "
            + "FMA); the managed build (./x run --managed) runs on this one.\n", result.Error);
    }

    [Fact]
    public void TheFirstProcessorOfTheLevelRunsIt()
    {
        SkipUnlessPossible();
        ProgramResult result = ProgramResult.Of(
            Emulator, "-cpu", "Haswell", ServerProgram.FilePath, "--version");
        Assert.Equal(0, result.ExitCode);
        Assert.EndsWith(" native\n", result.Output);
    }

    private static void SkipUnlessPossible()
    {
        Assert.SkipUnless(ServerProgram.IsNative, "the managed form fits every processor");
        Assert.SkipUnless(RuntimeInformation.ProcessArchitecture == Architecture.X64, "the level is of x64");
        Assert.SkipUnless(ProgramResult.CanRun(Emulator), "qemu-user-static is not installed");
    }
}
