using System.Runtime.Intrinsics;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.HyperLogLogs;

/// <summary>PFADD, PFCOUNT, PFMERGE, PFDEBUG, PFSELFTEST: what they declare and how they fail.</summary>
public sealed class HyperLogLogCommandsTests
{
    [Fact]
    public void ChangesAreDeclared() => DataCommands.Play("""
        PFADD h a b a => :1
        @changes => 3
        @events => PfAdd h
        @stored h => Raw
        PFADD h a b => :0
        @changes => 0
        PFADD h => :0
        @changes => 0
        PFADD new => :1
        @changes => 1
        @events => PfAdd new
        PFCOUNT h => :2
        @changes => 1
        @events => Rewritten h
        PFCOUNT h => :2
        PFCOUNT h new => :2
        PFCOUNT missing => :0
        @changes => 0
        @events =>
        PEXPIRE h 5000 => :1
        @events => Expire h
        PFADD h c => :1
        PFMERGE h new => +OK
        @changes => 1
        @events => PfAdd h, PfAdd h
        @stored h => Raw 5000 ms
        PFDEBUG TODENSE h => :1
        @changes => 1
        @events => Rewritten h
        @stored h => Raw 5000 ms
        PFDEBUG todense h => :0
        @changes => 0
        PFCOUNT h => :3
        """);

    [Fact]
    public void NothingIsHalfDone() => DataCommands.Play("""
        SET c HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x60\x00
        PFADD c 0 1 2 3 4 5 6 7 8 9 => -INVALIDOBJ Corrupted HLL object detected
        @changes => 0
        GET c => $"HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80`\x00"
        PFCOUNT c => -INVALIDOBJ Corrupted HLL object detected
        PFADD h a => :1
        PFMERGE h c => -INVALIDOBJ Corrupted HLL object detected
        PFDEBUG TODENSE c => -INVALIDOBJ Corrupted HLL object detected
        PFCOUNT h => :1
        """);

    [Fact]
    public void AValueTooLongToBeSoundIsCorrupt() => DataCommands.Play("""
        SETRANGE b 0 HYLL\x01 => :5
        SETRANGE b 100000 x => :100001
        PFADD b => :0
        PFCOUNT b => :0
        SETRANGE b 15 \x80 => :100001
        PFCOUNT b => -INVALIDOBJ Corrupted HLL object detected
        PFADD b x => -INVALIDOBJ Corrupted HLL object detected
        PFMERGE b => -INVALIDOBJ Corrupted HLL object detected
        PFDEBUG ENCODING b => +sparse
        PFDEBUG GETREG b => -INVALIDOBJ Corrupted HLL object detected
        STRLEN b => :100001
        """);

    [Fact]
    public void OtherValuesAreRefused() => DataCommands.Play("""
        SET s abc => +OK
        SET n 12 => +OK
        @foreign L
        PFADD s a => -WRONGTYPE Key is not a valid HyperLogLog string value.
        PFADD n a => -WRONGTYPE Key is not a valid HyperLogLog string value.
        PFADD L a => -WRONGTYPE Operation against a key holding the wrong kind of value
        PFCOUNT missing L => -WRONGTYPE Operation against a key holding the wrong kind of value
        PFMERGE missing s => -WRONGTYPE Key is not a valid HyperLogLog string value.
        EXISTS missing => :0
        PFDEBUG no missing => -ERR The specified key does not exist
        PFDEBUG no s => -WRONGTYPE Key is not a valid HyperLogLog string value.
        """);

    [Fact]
    public void TheSelfTestPasses() => DataCommands.Play("PFSELFTEST => +OK");

    [Fact]
    public void VectorsAreUsedOrNot()
    {
        string state = Vector128.IsHardwareAccelerated ? "enabled" : "disabled";
        DataCommands.Play($"""
            PFDEBUG SIMD on => +{state}
            PFDEBUG simd OFF => +{state}
            PFDEBUG SIMD no => -ERR Argument must be ON or OFF
            """);
    }
}
