using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Journaling;

/// <summary>What is recorded and written of libraries of functions, for versions of Redis that do not know
/// them or know another form.</summary>
public sealed class FunctionEffectsTests : IDisposable
{
    private const string Refusal = "rdb-compatibility 6.2 has no functions, which library 'one' has";

    private readonly TestServer _server = new(1, null, ("enable-debug-command", "yes"));
    private readonly TestClient _client;

    public FunctionEffectsTests() => _client = _server.Connect();

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();

    [Fact]
    public void NoLibraryIsLoadedThatTheJournalCannotHave()
    {
        Load("one", "FUNCTION", "LOAD");
        byte[] payload = Payload(RdbCompatibility.Redis70, "one", "two");
        _client.Run("FUNCTION FLUSH");
        _client.Run("CONFIG SET rdb-compatibility 6.2");
        RecordingJournal journal = RecordingJournal.Of(_server);
        Assert.Equal($"-ERR {Refusal}", Load("one", "FUNCTION", "LOAD"));
        Assert.Equal($"-ERR {Refusal}", Load("one", "FUNCTION", "LOAD", "REPLACE"));
        foreach (string policy in (string[])["FLUSH", "APPEND", "REPLACE"])
            Assert.Equal($"-ERR {Refusal}", Restore(payload, policy));
        Assert.Equal("*", _client.Run("FUNCTION LIST"));
        Assert.Equal(0, journal.Count);
    }

    [Fact]
    public void WithoutAJournalOneIsLoadedAtEveryLevel()
    {
        _client.Run("CONFIG SET rdb-compatibility 6.2");
        Assert.Equal("$one", Load("one", "FUNCTION", "LOAD"));
    }

    /// <summary>Where there is no library, nothing is recorded; one that is in the journal must not come
    /// back.</summary>
    [Theory]
    [InlineData("FUNCTION FLUSH", "FUNCTION FLUSH")]
    [InlineData("FUNCTION DELETE one", "FUNCTION DELETE one")]
    [InlineData("FUNCTION RESTORE nothing FLUSH", "FUNCTION FLUSH")]
    [InlineData("FUNCTION RESTORE nothing", "")]
    public void ItsEndIsRecordedOnlyWhereThereWasOne(string command, string expected)
    {
        Load("one", "FUNCTION", "LOAD");
        _client.Run("CONFIG SET rdb-compatibility 6.2");
        RecordingJournal journal = RecordingJournal.Of(_server);
        Run(command);
        Assert.Equal(expected, string.Join(';', journal.CommandsFrom()));
        _client.Run("FUNCTION FLUSH");
        int count = journal.Count;
        Run(command);
        Assert.Equal(count, journal.Count);
    }

    /// <summary>A payload of a newer version is recorded in the one that the journal has.</summary>
    [Theory]
    [InlineData("7.0", 10)]
    [InlineData("7.4", 12)]
    public void APayloadIsRecordedInTheVersionOfTheLevel(string level, int version)
    {
        byte[] payload = Payload(RdbCompatibility.Redis74, "one", "two");
        _client.Run($"CONFIG SET rdb-compatibility {level}");
        RecordingJournal journal = RecordingJournal.Of(_server);
        Assert.Equal("+OK", Restore(payload, "REPLACE"));
        byte[] text = journal.TextFrom();
        string shown = Encoding.Latin1.GetString(text);
        Assert.Contains("FUNCTION\r\n$7\r\nRESTORE\r\n", shown, StringComparison.Ordinal);
        Assert.EndsWith("\r\n$7\r\nREPLACE\r\n", shown, StringComparison.Ordinal);
        int head = shown.IndexOf('$', shown.IndexOf("RESTORE", StringComparison.Ordinal));
        int start = shown.IndexOf('\n', head) + 1;
        int length = int.Parse(shown[(head + 1)..(start - 2)], CultureInfo.InvariantCulture);
        var recorded = new DumpedLibraries(text.AsSpan(start, length));
        Assert.True(recorded.IsIntact);
        Assert.Equal(version, recorded.Version.Number);
        Assert.Equal(["#!lua name=one", "#!lua name=two"],
            recorded.Read().Select(static source => Encoding.Latin1.GetString(source).Split('\n')[0]));
    }

    [Fact]
    public void NoFileIsWrittenThatCannotHaveThem()
    {
        Load("one", "FUNCTION", "LOAD");
        _client.Run("SET key value");
        _client.Run("CONFIG SET rdb-compatibility 6.2");
        Assert.Equal("-ERR", _client.Run("SAVE"));
        _client.Run("BGSAVE");
        _server.Run();
        Assert.Equal("-ERR", _client.Run("DEBUG RELOAD"));
        Assert.Empty(_server.Files.Paths);
        Assert.Equal(3, _server.Log.Lines.Count(line => line.Contains(Refusal, StringComparison.Ordinal)));
        _client.Run("FUNCTION DELETE one");
        Assert.Equal("+OK", _client.Run("SAVE"));
        Assert.Single(_server.Files.Paths);
    }

    private void Run(string command)
    {
        if (!command.Contains("nothing", StringComparison.Ordinal))
            _client.Run(command);
        else
            Assert.Equal("+OK", Restore(Payload(RdbCompatibility.Redis70), [.. command.Split(' ').Skip(3)]));
    }

    private string Load(string name, params string[] command) => _client.Call([.. command,
        $"#!lua name={name}\nredis.register_function('{name}', function() return 1 end)"]).ToString();

    private string Restore(byte[] payload, params string[] policy) => _client.Call(
        ["FUNCTION", "RESTORE", Encoding.Latin1.GetString(payload), .. policy]).ToString();

    private static byte[] Payload(RdbCompatibility level, params string[] names)
    {
        using var output = new RdbOutput(sink: null, isCompressed: false, isChecked: false);
        byte[][] sources = [.. names.Select(static name => Encoding.Latin1.GetBytes(
            $"#!lua name={name}\nredis.register_function('{name}', function() return 1 end)"))];
        DumpPayload.WriteLibraries(output, sources, level);
        return output.Written.ToArray();
    }
}
