using Cinnabar.Server.Configuration;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class CommandLineTests
{
    [Theory]
    [InlineData("--port|7000|--bind|1.2.3.4|::1", "port \"7000\" \nbind \"1.2.3.4\" \"::1\" ")]
    [InlineData("--maxmemory|--port|5", "maxmemory \"--port\" \"5\" ")]
    [InlineData("--loglevel|verbose|--port", "loglevel \"verbose\" \nport ")]
    [InlineData("--save|--port|1", "save \"\"\nport \"1\" ")]
    [InlineData("--port|1|--save", "port \"1\" \nsave \"\"")]
    [InlineData("--save|", "save \"\" ")]
    [InlineData("-x", "\"-x\" ")]
    [InlineData("--requirepass|a\"b", "requirepass \"a\\\"b\" ")]
    public void OptionsBecomeLines(string arguments, string options)
    {
        CommandLine line = CommandLine.Parse(arguments.Split('|'));
        Assert.Equal((CommandLineAction.Run, options), (line.Action, line.Options));
        Assert.Null(line.ConfigurationPath);
        Assert.False(line.ReadsStandardInput);
    }

    [Fact]
    public void NameAndValueMayShareAWord()
    {
        CommandLine line = CommandLine.Parse(["--port 7000", "--hz 20"]);
        Assert.Equal("port 7000 \nhz 20 ", line.Options);
    }

    [Fact]
    public void FileAndStandardInputAreFound()
    {
        CommandLine line = CommandLine.Parse(["a.conf", "--hz", "20", "-"]);
        Assert.Equal("a.conf", line.ConfigurationPath);
        Assert.True(line.ReadsStandardInput);
        Assert.Equal("hz \"20\" ", line.Options);
        Assert.True(CommandLine.Parse(["-", "--hz", "20"]).ReadsStandardInput);
        Assert.Equal("requirepass \"-\" \nhz \"1\" ", CommandLine.Parse(["--requirepass", "-", "--hz",
            "1"]).Options);
    }

    [Theory]
    [InlineData("-v", CommandLineAction.ShowVersion)]
    [InlineData("--version", CommandLineAction.ShowVersion)]
    [InlineData("-h", CommandLineAction.ShowHelp)]
    [InlineData("--help", CommandLineAction.ShowHelp)]
    [InlineData("--check-system", CommandLineAction.CheckSystem)]
    [InlineData("--test-memory", CommandLineAction.TestMemory)]
    [InlineData("--sentinel", CommandLineAction.Sentinel)]
    internal void ActionsAreFound(string argument, CommandLineAction action) =>
        Assert.Equal(action, CommandLine.Parse([argument, "x"]).Action);

    [Theory]
    [InlineData("redis://h", "redis://h:6379", "", "")]
    [InlineData("redis://h:7/", "redis://h:7", "", "")]
    [InlineData("rediss://u:p%40%3A@h:7", "rediss://h:7", "u", "p@:")]
    [InlineData("redis://:p@[::1]:7", "redis://[::1]:7", "", "p")]
    [InlineData("redis://p@h", "redis://h:6379", "", "p")]
    [InlineData("redis://u:a@b@[fe80::1]", "redis://[fe80::1]:6379", "u", "a@b")]
    public void TheSourceOfAnImportIsNoDirective(string text, string place, string user, string password)
    {
        CommandLine line = CommandLine.Parse(["--port", "1", "--import-from", text, "--hz", "20"]);
        Assert.Equal("port \"1\" \nhz \"20\" ", line.Options);
        Assert.Null(line.ImportFault);
        Assert.Equal((place, user, password),
            (line.ImportSource!.ToString(), line.ImportSource.User, line.ImportSource.Password));
    }

    [Theory]
    [InlineData("")]
    [InlineData("http://secret@h")]
    [InlineData("redis://secret@")]
    [InlineData("redis://secret@h:0")]
    [InlineData("redis://secret@h:65536")]
    [InlineData("redis://secret@h:7/1")]
    [InlineData("redis://secret@[::1]7")]
    [InlineData("redis://secret@h:+7")]
    public void AnImpossibleSourceIsRefusedWithoutItsPassword(string text)
    {
        CommandLine line = CommandLine.Parse(["--import-from", text]);
        Assert.DoesNotContain("secret", Assert.IsType<string>(line.ImportFault));
    }
}
