using System;
using System.Text;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Specs;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>Commands that were scanned once are recognised by their first bytes.</summary>
public sealed unsafe class KnownHeadsTests : IDisposable
{
    // What follows decides in which place the head of a line shorter than 12 bytes is kept.
    private static readonly string s_padding = new('x', KnownHeads.BytesSeen);

    private readonly KnownHeads _heads = new();
    private readonly CommandTable _commands = new();
    private readonly ArgumentBuffer _arguments = new();
    private byte[] _input = [];

    [Fact]
    public void AnUnknownHeadIsNotRecognised() =>
        Assert.Null(TryScan(Text("GET", "a-key-of-some-length"), out _));

    [Fact]
    public void ALearnedHeadIsRecognisedWithOtherArguments()
    {
        Learn(Text("GET", "a-key-of-some-length"));
        string command = Text("GET", "another key, a bit longer");
        Assert.Equal("get", TryScan(command + "*1\r\n", out int consumed)?.Name);
        Assert.Equal(command.Length, consumed);
        Assert.Equal("GET", Encoding.Latin1.GetString(_arguments.Items[0].Span));
        Assert.Equal("another key, a bit longer", Encoding.Latin1.GetString(_arguments.Items[1].Span));
    }

    [Fact]
    public void EachSpellingAndCountIsAHeadOfItsOwn()
    {
        Learn(Text("SET", "a-key-of-some-length", "v"));
        Assert.Null(TryScan(Text("set", "a-key-of-some-length", "v"), out _));
        Assert.Null(TryScan(Text("SET", "a-key-of-some-length", "v", "NX"), out _));
        Learn(Text("set", "a-key-of-some-length", "v"));
        Assert.NotNull(TryScan(Text("set", "key", "another value"), out _));
    }

    [Fact]
    public void ACommandThatIsNotWholeIsLeftToTheScanner()
    {
        string whole = Text("SET", "key", "a value of some length, and more");
        Learn(whole);
        for (int length = 1; length < whole.Length; length++)
        {
            // What lies behind the end is read and makes no difference.
            Assert.Null(TryScan(whole[..length], whole[length..], out _));
            Assert.Equal(0, _arguments.Count);
        }

        Assert.NotNull(TryScan(whole, out _));
    }

    [Fact]
    public void AWrongHeaderBehindAKnownHeadIsLeftToTheScanner()
    {
        Learn(Text("SET", "key", "a value of some length"));
        Assert.Null(TryScan("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n:22\r\na value of some length\r\n", out _));
        Assert.Null(TryScan("*3\r\n$3\r\nSET\r\n$-1\r\nkey\r\n$22\r\na value of some length\r\n", out _));
    }

    [Fact]
    public void AShortCommandIsRecognisedAtTheEndOfAnInput()
    {
        string ping = Text("PING");
        Learn(ping);
        Assert.Equal("ping", TryScan(ping, out int consumed)?.Name);
        Assert.Equal(ping.Length, consumed);
        Assert.Equal(1, _arguments.Count);
    }

    [Fact]
    public void AnInlineCommandOfOneWordIsAllHead()
    {
        Learn("PING\r\n");
        Assert.Equal("ping", TryScan("PING\r\n", out int consumed)?.Name);
        Assert.Equal(6, consumed);
        Assert.Equal("PING", Encoding.Latin1.GetString(_arguments.Items[0].Span));
        for (int length = 1; length < 6; length++)
            Assert.Null(TryScan("PING\r\n"[..length], "PING\r\n"[length..], out _));
        Assert.Null(TryScan("ping\r\n", out _));
    }

    [Theory]
    [InlineData("PING\n")]
    [InlineData("PING \r\n")]
    [InlineData(" PING\r\n")]
    [InlineData("\"PING\"\r\n")]
    public void OtherInlineCommandsAreNotLearned(string line)
    {
        Learn(line);
        Assert.Null(TryScan(line, out _));
    }

    [Fact]
    public void ZeroesAreNoHead() => Assert.Null(TryScan(new string('\0', 40), out _));

    [Fact]
    public void InlineAndLongCommandsAreNotLearned()
    {
        string inline = "GET a-key-of-some-length-inline\r\n";
        Learn(inline);
        Assert.Null(TryScan(inline, out _));
        string many = Text("MSET", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
        Learn(many);
        Assert.Null(TryScan(many, out _));
    }

    [Fact]
    public void CommandsOfOnePlaceTakeTurns()
    {
        // More heads than places: each is recognised right after it was learned.
        foreach (CommandSpec spec in _commands.All)
        {
            string command = Text(spec.Name, "a-key-of-some-length-to-be-long");
            Learn(command);
            bool isShort = command.IndexOf("$31", StringComparison.Ordinal) <= 32;
            Assert.Equal(isShort ? spec : null, TryScan(command, out _));
        }
    }

    public void Dispose() => _arguments.Dispose();

    private static string Text(params string[] words)
    {
        var text = new StringBuilder($"*{words.Length}\r\n");
        foreach (string word in words)
            text.Append($"${word.Length}\r\n{word}\r\n");
        return text.ToString();
    }

    private CommandSpec? TryScan(string input, out int consumed) => TryScan(input, "", out consumed);

    private CommandSpec? TryScan(string input, string behind, out int consumed)
    {
        _arguments.Clear();
        _input = GC.AllocateArray<byte>(input.Length + behind.Length + s_padding.Length, pinned: true);
        Encoding.Latin1.GetBytes(input + behind + s_padding, _input);
        fixed (byte* data = _input)
            return _heads.TryScan(data, input.Length, _arguments, out consumed);
    }

    private void Learn(string input)
    {
        _arguments.Clear();
        byte[] bytes = Encoding.Latin1.GetBytes(input + s_padding);
        fixed (byte* data = bytes)
        {
            ScanState state = default;
            ScanResult result = default;
            var limits = new ScanLimits(int.MaxValue, false);
            Assert.Equal(ScanOutcome.Command, RequestScanner.Scan(
                ref state, data, input.Length, _arguments, in limits, ref result));
            Argument name = _arguments.Items[0];
            _heads.Learn(data, in name, result.ArgumentCount, _commands.Find(name.Span)!);
        }
    }
}
