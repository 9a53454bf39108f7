using System.IO;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>The users of configuration and ACL files: at the start, and what CONFIG REWRITE makes of
/// them.</summary>
public sealed class UserFileTests
{
    [Fact]
    public void UserLinesAreReadAndRewritten()
    {
        string file = Path.GetTempFileName();
        File.WriteAllText(file, "user default on nopass ~* &* +@all -flushdb\nuser old on\n# end\n");
        using (var run = new ServerRun(file))
        {
            run.WaitUntilReady();
            using var client = new RespClient(run.Port);
            Assert.StartsWith("-NOPERM", client.Run("FLUSHDB"));
            Assert.Equal("+OK", client.Run("ACL SETUSER alice on >p ~a* (+get ~x)"));
            Assert.Equal(":1", client.Run("ACL DELUSER old"));
            Assert.Equal("+OK", client.Run("CONFIG REWRITE"));
        }

        string text = File.ReadAllText(file);
        Assert.Contains("user default on nopass ~* &* +@all -flushdb\n", text);
        Assert.Contains("(~x resetchannels -@all +get)\n", text);
        Assert.DoesNotContain("user old", text);
        using (var run = new ServerRun(file))
        {
            run.WaitUntilReady();
            using var client = new RespClient(run.Port);
            Assert.StartsWith("-NOPERM", client.Run("FLUSHDB"));
            Assert.Equal("+OK", client.Run("AUTH alice p"));
        }

        File.Delete(file);
    }

    /// <summary>CONFIG REWRITE writes no users that an ACL file has; these are written by ACL SAVE, and are
    /// there after a start.</summary>
    [Fact]
    public void UsersOfAnAclFileStandOnlyThere()
    {
        string users = Path.GetTempFileName();
        string file = Path.GetTempFileName();
        File.WriteAllText(users, "user default on nopass ~* &* +@all\nuser bob on nopass ~b* +get\n");
        File.WriteAllText(file, $"aclfile {users}\n");
        using (var run = new ServerRun(file))
        {
            run.WaitUntilReady();
            using var client = new RespClient(run.Port);
            Assert.Equal("+OK", client.Run("ACL SETUSER alice on >p ~a* +get"));
            Assert.Equal("+OK", client.Run("CONFIG REWRITE"));
            Assert.DoesNotContain("alice", File.ReadAllText(users));
            Assert.Equal("+OK", client.Run("ACL SAVE"));
        }

        Assert.DoesNotContain("user ", File.ReadAllText(file));
        using (var run = new ServerRun(file))
        {
            run.WaitUntilReady();
            using var client = new RespClient(run.Port);
            Assert.Equal("*[$alice, $bob, $default]", client.Run("ACL USERS"));
            Assert.Equal("+OK", client.Run("AUTH alice p"));
        }

        File.Delete(file);
        File.Delete(users);
    }

    [Theory]
    [InlineData("user a on\nuser a on\n", "Duplicate user found")]
    [InlineData("user a +nosuch\n", "Unknown command or category name in ACL")]
    [InlineData("user a (+get\n", "Unmatched parenthesis")]
    [InlineData("user a on\naclfile /nosuch\n", "but not both")]
    [InlineData("aclfile /nosuch/file\n", "Error loading ACLs, opening file '/nosuch/file'")]
    public void WrongUsersPreventTheStart(string text, string reason)
    {
        using ServerRun run = ServerRun.Plain("port {port}\n" + text, "-");
        Assert.Equal(1, run.WaitForEnd());
        Assert.Contains(reason, run.Output + run.Error);
    }
}
