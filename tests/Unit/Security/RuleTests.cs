using System;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Keys;
using Cinnabar.Security.Rules;
using Cinnabar.Security.Users;
using Xunit;

namespace Cinnabar.Tests.Unit.Security;

/// <summary>Rules of users: what they allow, what they are when written again, what is wrong with
/// them.</summary>
public sealed class RuleTests
{
    private static readonly string[] s_rules =
    [
        "on", "off", "nopass", "resetpass", ">secret", ">other", "sanitize-payload", "skip-sanitize-payload",
        "~*", "allkeys", "resetkeys", "~a*", "~b", "%R~c*", "%W~c*", "%RW~d?e", "%R~a*",
        "&*", "allchannels", "resetchannels", "&news.*", "&one", "+@all", "-@all", "allcommands",
        "nocommands",
        "+@read", "-@write", "+@string", "-@dangerous", "+get", "-get", "+set", "+client", "-client|kill",
        "+client|id", "+config|get", "-config", "+select|0", "+select|1", "-select", "(+get ~x)", "(-@all)",
        "(%R~y* &z +@hash -hget)", "clearselectors", "alldbs", "resetdbs", "db=0", "db=3,1", "reset",
    ];

    private readonly CommandTable _commands = new();

    [Theory]
    [InlineData("+foo", "Unknown command or category name in ACL")]
    [InlineData("+@foo", "Unknown command or category name in ACL")]
    [InlineData("-@", "Unknown command or category name in ACL")]
    [InlineData("+config|foo", "Unknown command or category name in ACL")]
    [InlineData("-select|0", "Unknown command or category name in ACL")]
    [InlineData("+config|get|x", "Allowing first-arg of a subcommand is not supported")]
    [InlineData("+select|", "Syntax error")]
    [InlineData("%X~a", "Syntax error")]
    [InlineData("%RWR~a", "Syntax error")]
    [InlineData("%~", "Syntax error")]
    [InlineData("%R", "Syntax error")]
    [InlineData("~a b", "Syntax error")]
    [InlineData("nosuch", "Syntax error")]
    [InlineData("(on)", "Syntax error")]
    [InlineData("(+foo)", "Unknown command or category name in ACL")]
    [InlineData("#abc", "The password hash must be exactly 64 characters and contain only lowercase "
        + "hexadecimal characters")]
    [InlineData("<nope", "The password you are trying to remove from the user does not exist")]
    [InlineData("db=", "Syntax error")]
    [InlineData("db=1,-1", "The provided database ID is out of range")]
    [InlineData("db=x", "Syntax error")]
    public void AWrongRuleIsAnError(string rule, string error) =>
        Assert.Equal(error, new UserBuilder(_commands, "u", false).Apply(rule));

    [Theory]
    [InlineData("", "off resetchannels -@all")]
    [InlineData("reset", "off sanitize-payload resetchannels -@all")]
    [InlineData("on nopass ~* &* +@all", "on nopass ~* &* +@all")]
    [InlineData("+@all -@dangerous +config|get +select|0", "off resetchannels +@all -@dangerous +config|get")]
    [InlineData("+select|0 +SELECT|1", "off resetchannels -@all +select|0 +select|1")]
    [InlineData("+select|0 +select", "off resetchannels -@all +select")]
    [InlineData("+config|get -config|set +config", "off resetchannels -@all +config")]
    [InlineData("+get -get +@read -@read +@read", "off resetchannels -@all -get +@read")]
    [InlineData("+GET +@READ +Config|Get", "off resetchannels -@all +get +@read +config|get")]
    [InlineData("%R~a %W~a %R~b %RW~c", "off ~a %R~b ~c resetchannels -@all")]
    [InlineData("( +get ~x )", "off resetchannels -@all (~x resetchannels -@all +get)")]
    [InlineData("+@all +get -client +client", "off resetchannels +@all")]
    [InlineData("db=3,1,3", "off resetchannels db=1,3 -@all")]
    [InlineData("db=3,1 db=2", "off resetchannels db=2 -@all")]
    [InlineData("db=3 alldbs", "off resetchannels -@all")]
    [InlineData("resetdbs", "off resetchannels resetdbs -@all")]
    public void RulesAreWrittenAsRedisDoes(string rules, string text)
    {
        var builder = new UserBuilder(_commands, "u", false);
        string[] words = rules.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        Assert.Null(builder.ApplyAll(words));
        Assert.Equal(text, builder.Build().Describe());
    }

    [Fact]
    public void AParenthesisWithoutEndIsAnError() =>
        Assert.Equal("ERR Unmatched parenthesis in acl selector starting at '(+get'.",
            new UserTable(_commands).Change("u", ["on", "(+get", "~x"], out _));

    [Fact]
    public void AnEmptyRuleDoesNothing()
    {
        var users = new UserTable(_commands);
        Assert.Null(users.Change("u", ["", "on", "", "+get"], out _));
        Assert.Null(users.Change("v", ["on", "+get"], out _));
        Assert.Equal(users.Find("v")!.User.Describe(), users.Find("u")!.User.Describe());
    }

    [Fact]
    public void TheTextOfAUserMakesTheSameUser()
    {
        var random = new Random(30);
        for (int round = 0; round < 2000; round++)
        {
            var builder = new UserBuilder(_commands, "u", hasChannelsAtFirst: round % 7 == 0);
            for (int count = random.Next(12); count > 0; count--)
                builder.Apply(s_rules[random.Next(s_rules.Length)]);
            User user = builder.Build();
            var again = new UserBuilder(_commands, "u", hasChannelsAtFirst: false);
            Assert.Null(again.ApplyAll(user.Describe().Split(' ')));
            User same = again.Build();
            Assert.Equal(user.Describe(), same.Describe());
            AssertSamePermissions(user, same);
            User changed = new UserBuilder(_commands, user, hasChannelsAtFirst: false).Build();
            Assert.Equal(user.Describe(), changed.Describe());
            AssertSamePermissions(user, changed);
        }
    }

    [Fact]
    public void CommandsAreAllowedAsTheirRulesSay()
    {
        User user = Make("+@all -@dangerous +config|get -client +client|id +select|0 -get");
        Assert.False(Allows(user, CommandId.Get));
        Assert.True(Allows(user, CommandId.Set));
        Assert.False(Allows(user, CommandId.ConfigSet));
        Assert.True(Allows(user, CommandId.ConfigGet));
        Assert.True(Allows(user, CommandId.ClientId));
        Assert.False(Allows(user, CommandId.ClientKill));
        User narrow = Make("+select|0");
        Assert.True(Allows(narrow, CommandId.Select, "0"));
        Assert.False(Allows(narrow, CommandId.Select, "1"));
        Assert.False(Allows(narrow, CommandId.Select));
        Assert.False(Allows(narrow, CommandId.Get, "0"));
    }

    [Fact]
    public void AKeyNeedsOnePatternForAllThatIsDoneToIt()
    {
        Selector selector = Make("%R~r:* %W~w:* ~rw:* ~one %R~both* %W~both:*").Selectors[0];
        Assert.True(selector.AllowsKey("r:1"u8, KeyAccess.Read));
        Assert.False(selector.AllowsKey("r:1"u8, KeyAccess.Write));
        Assert.False(selector.AllowsKey("r:1"u8, KeyAccess.ReadWrite));
        Assert.True(selector.AllowsKey("w:1"u8, KeyAccess.None));
        Assert.True(selector.AllowsKey("rw:1"u8, KeyAccess.ReadWrite));
        Assert.True(selector.AllowsKey("both:1"u8, KeyAccess.Write));
        Assert.False(selector.AllowsKey("both:1"u8, KeyAccess.ReadWrite));
        Assert.True(selector.AllowsKey("one"u8, KeyAccess.ReadWrite));
        Assert.False(selector.AllowsKey("on"u8, KeyAccess.None));
        Assert.False(selector.AllowsAnyKey(KeyAccess.Read));
        Assert.True(Make("%R~*").Selectors[0].AllowsAnyKey(KeyAccess.Read));
    }

    [Fact]
    public void PatternsOfChannelsAreComparedLiterally()
    {
        Selector selector = Make("&news.* &a").Selectors[0];
        Assert.True(selector.AllowsChannel("news.1"u8));
        Assert.False(selector.AllowsChannelPattern("news.1*"u8));
        Assert.True(selector.AllowsChannelPattern("news.*"u8));
        Assert.False(selector.AllowsChannel("b"u8));
    }

    [Fact]
    public void PasswordsAreComparedByTheirHashes()
    {
        User user = Make("on >one #148de9c5a7a44d19e56cd9ae1a554bf67847afb0c58f6e12fa29ac7ddfca9940");
        Assert.True(user.Accepts("one"u8));
        Assert.True(user.Accepts("p"u8));
        Assert.False(user.Accepts(""u8));
        Assert.False(Make("on").Accepts(""u8));
        Assert.True(Make("on nopass").Accepts("x"u8));
        Assert.False(Make("on nopass >x").Accepts("y"u8));
        Assert.False(Make("off nopass").Accepts("x"u8));
    }

    [Fact]
    public void ACompiledListMatchesAsItsPatternsDo()
    {
        var random = new Random(31);
        const string letters = "ab\0*?";
        for (int round = 0; round < 3000; round++)
        {
            string[] patterns = [.. Enumerable.Range(0, random.Next(8)).Select(_ => Text(random, letters))];
            var matcher = new KeyMatcher(patterns);
            for (int count = 0; count < 20; count++)
            {
                byte[] text = Encoding.Latin1.GetBytes(Text(random, "ab\0"));
                bool isMatch = patterns.Any(
                    pattern => Cinnabar.Resp.GlobPattern.Matches(Encoding.Latin1.GetBytes(pattern), text));
                Assert.Equal(isMatch, matcher.Matches(text));
            }
        }
    }

    [Fact]
    public void AFileIsReadWholeOrNotAtAll()
    {
        var table = new UserTable(_commands);
        Assert.Equal("",
            UserFile.Read(table, "f", "# text\n\nuser a on (+get ~x)\r\nuser b off\n", out var users));
        Assert.Equal(["user a on resetchannels -@all (~x resetchannels -@all +get)",
            "user b off resetchannels -@all"], users.ConvertAll(user => user.ToString()));
        Assert.Contains("f:2: WARNING: Duplicate user 'a' found",
            UserFile.Read(table, "f", "user a\nuser a\n", out _));
        Assert.Contains("f:1: line should start with user keyword", UserFile.Read(table, "f", "x", out _));
        Assert.Contains("f:1: Syntax error", UserFile.Read(table, "f", "user a x", out _));
    }

    [Fact]
    public void AChangeIsAllOrNothingAndAccountsStay()
    {
        var table = new UserTable(_commands);
        Assert.Null(table.Change("a", ["on"], out User? before));
        Assert.Null(before);
        UserAccount account = table.Find("a")!;
        Assert.NotNull(table.Change("a", ["nopass", "bad"], out _));
        Assert.False(account.User.NeedsNoPassword);
        Assert.Null(table.Change("a", ["nopass"], out before));
        Assert.False(before!.NeedsNoPassword);
        Assert.True(account.User.NeedsNoPassword);
        table.ReplaceAll([new UserBuilder(_commands, "b", false).Build()]);
        Assert.True(account.IsDeleted);
        Assert.False(table.Default.IsDeleted);
        Assert.Equal(["b", "default"], table.All.Select(item => item.Name));
        Assert.True(table.Default.User.IsUnrestricted);
    }

    private static string Text(Random random, string letters) => string.Create(random.Next(5), letters,
        (span, from) =>
        {
            for (int index = 0; index < span.Length; index++)
                span[index] = from[random.Next(from.Length)];
        });

    private static bool Allows(User user, CommandId command, string first = "") =>
        user.Selectors[0].AllowsCommand((int)command, Encoding.Latin1.GetBytes(first));

    private User Make(string rules)
    {
        var builder = new UserBuilder(_commands, "u", false);
        Assert.Null(builder.ApplyAll(rules.Split(' ')));
        return builder.Build();
    }

    private void AssertSamePermissions(User one, User other)
    {
        Assert.Equal(one.IsEnabled, other.IsEnabled);
        Assert.Equal(one.Selectors.Length, other.Selectors.Length);
        for (int index = 0; index < one.Selectors.Length; index++)
        {
            Selector left = one.Selectors[index];
            Selector right = other.Selectors[index];
            foreach (IAclCommand command in ((IAclCommands)_commands).All)
            {
                foreach (byte[] first in (byte[][])[[], [(byte)'0'], [(byte)'1']])
                {
                    Assert.Equal(left.AllowsCommand(command.Number, first),
                        right.AllowsCommand(command.Number, first));
                }
            }
        }
    }
}
